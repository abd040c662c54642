import { mayView } from '../fields/may-view.mjs';
import { posts } from './authors.mjs';

/** No two posts next to each other are answered in the same turn of the event loop. */
const SLOWEST = 10;
const turnsOf = (post) => 1 + (posts.indexOf(post) % SLOWEST);

async function after(turns, answer) {
  for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
  return answer;
}

/** What every contestant asks: of the principal at once, or of each post by itself and later. */
export const checks = {
  role: (principal) => mayView(principal),
  remote: (principal, post) => after(turnsOf(post), mayView(principal)),
};

/** All posts in one question: as late as the slowest of them. */
export const askTogether = (principal) => after(SLOWEST, mayView(principal));
