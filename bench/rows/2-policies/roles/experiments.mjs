import { answers, costOfDecision } from '../decisions.mjs';
import { isAllowed, questions } from './table.mjs';

const bounds = (ours) =>
  Object.entries({ 'casl-cached': 2, casbin: 100, 'accesscontrol-in-context': 100 }).map(([peer, atLeast]) => ({
    row: '2b',
    figure: 'cpuUs',
    ratio: [peer, ours],
    atLeast,
    ...(peer === 'casl-cached' && { stretch: 3 }),
  }));

export const experiments = [
  {
    folder: import.meta.url,
    title: 'decide by roles: 1,000 questions, 4 roles',
    contestants: [
      'hand-written',
      'doorward-can',
      'doorward-decide',
      'casl-cached',
      'casbin',
      'easy-rbac',
      'role-acl',
      'accesscontrol',
      'accesscontrol-in-context',
    ],
    figures: { cpuUs: 'CPU µs', wallUs: 'wall µs' },
    nullPair: 'doorward-can',
    timing: { full: { warmUpMs: 400, measureMs: 600 }, quick: { warmUpMs: 20, measureMs: 20 } },
    answers: (contestant) => answers(contestant, questions().map(isAllowed)),
    measure: costOfDecision,
    goals: [...bounds('doorward-can'), ...bounds('doorward-decide')],
  },
];
