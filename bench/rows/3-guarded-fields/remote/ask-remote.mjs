import { ROLE } from '../principals.mjs';

let calls = 0;

/** How often was asked so far. */
export const callsSoFar = () => calls;

/** Answers in a later turn of the event loop, as a decision point on the network does at best. */
export function askRemote({ roles }) {
  calls++;
  return new Promise((resolve) => setImmediate(resolve, roles.includes(ROLE)));
}
