import { answers, measure } from '../operation.mjs';
import { everyField, objectFields } from '../schema.mjs';
import { callsSoFar } from './ask-remote.mjs';

async function measureWithCalls(contestant, timing, input) {
  const figures = await measure(contestant, timing, input);
  const before = callsSoFar();
  await measure(contestant, { warmUpMs: 0, measureMs: 0 }, input);
  // The warm-up is one operation as well.
  return { ...figures, calls: (callsSoFar() - before) / 2 };
}

const shared = {
  folder: import.meta.url,
  figures: { cpuMs: 'CPU ms', wallMs: 'wall ms', calls: 'questions' },
  nullPair: 'bare',
  timing: { full: { warmUpMs: 800, measureMs: 1_200 }, quick: { warmUpMs: 20, measureMs: 20 } },
  answers,
  measure: measureWithCalls,
};
const cpu = (peer, atLeast, stretch) => ({
  row: '3d',
  figure: 'cpuMs',
  ratio: [peer, 'doorward'],
  atLeast,
  ...(stretch !== undefined && { stretch }),
});
const askedOnce = { row: '3d', figure: 'calls', ratio: ['doorward', 'bare'], atMost: 1 };

export const experiments = [
  {
    ...shared,
    title: 'an answer in a later turn, 19,001 fields, all guarded',
    input: { guarded: everyField },
    contestants: ['bare', 'doorward', 'pothos', 'generic-auth', 'graphql-authz', 'shield-contextual', 'async-wrapper'],
    goals: [cpu('bare', 0.7, 0.85), cpu('shield-contextual', 4), askedOnce],
  },
  {
    ...shared,
    title: 'an answer in a later turn, 19,001 fields, all guarded but Query.users',
    input: { guarded: objectFields },
    contestants: ['bare', 'doorward', 'pothos', 'shield-contextual', 'async-wrapper'],
    goals: [cpu('bare', 0.2, 0.7), cpu('shield-contextual', 3), askedOnce],
  },
];
