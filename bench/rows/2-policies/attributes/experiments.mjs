import { answers, costOfDecision } from '../decisions.mjs';
import { isAllowed, questions } from '../documents.mjs';

const cheaper = (ours, peer, atLeast, stretch) => ({
  row: '2a',
  figure: 'cpuUs',
  ratio: [peer, ours],
  atLeast,
  ...(stretch !== undefined && { stretch }),
});
/** The bounds for a whole decision; the wishes are for one without a trace. */
const bounds = (ours, caslStretch) => [
  cheaper(ours, 'casl-cached', 5, caslStretch),
  cheaper(ours, 'casl-per-request', 20),
  cheaper(ours, 'casbin', 20),
  cheaper(ours, 'cedar', 500),
];

export const experiments = [
  {
    folder: import.meta.url,
    title: 'decide by attributes: 1,000 questions about documents, 4 rules',
    contestants: [
      'hand-written',
      'doorward',
      'doorward-no-trace',
      'doorward-code',
      'doorward-code-no-trace',
      'casl-cached',
      'casl-per-request',
      'casbin',
      'easy-rbac',
      'role-acl',
      'accesscontrol',
      'cedar',
    ],
    // Without it, calls from WebAssembly that were optimised away end the process on Node 20.
    nodeOptions: { cedar: ['--no-turbo-inline-js-wasm-calls'] },
    figures: { cpuUs: 'CPU µs', wallUs: 'wall µs' },
    nullPair: 'doorward',
    timing: { full: { warmUpMs: 400, measureMs: 600 }, quick: { warmUpMs: 20, measureMs: 20 } },
    answers: (contestant) => answers(contestant, questions().map(isAllowed)),
    measure: costOfDecision,
    goals: [...bounds('doorward'), ...bounds('doorward-no-trace', 8), ...bounds('doorward-code-no-trace', 30)],
  },
];
