import { answers, measure } from './operation.mjs';

const everyField = [
  'Query.users',
  ...['id', 'name', 'email', 'posts'].map((field) => `User.${field}`),
  ...['id', 'title', 'content'].map((field) => `Post.${field}`),
];
const shared = {
  folder: import.meta.url,
  figures: { cpuMs: 'CPU ms', wallMs: 'wall ms' },
  nullPair: 'bare',
  timing: { full: { warmUpMs: 800, measureMs: 1_200 }, quick: { warmUpMs: 100, measureMs: 200 } },
  answers,
  measure,
};
const cpu = (row, peer, atLeast) => ({ row, figure: 'cpuMs', ratio: [peer, 'doorward'], atLeast });

export const experiments = [
  {
    ...shared,
    title: 'validate + execute, 19,001 fields, all guarded',
    input: { guarded: everyField },
    contestants: ['bare', 'doorward', 'shield-contextual', 'shield-no-cache', 'async-wrapper'],
    goals: [
      cpu('3a', 'bare', 0.85),
      cpu('3a', 'shield-contextual', 4),
      cpu('3a', 'shield-no-cache', 4),
      cpu('3a', 'async-wrapper', 2.5),
    ],
  },
  {
    ...shared,
    title: 'validate + execute, 19,001 fields, only Query.users guarded',
    input: { guarded: ['Query.users'] },
    contestants: ['bare', 'doorward', 'shield-contextual', 'shield-no-cache'],
    goals: [cpu('3b', 'bare', 0.85), cpu('3b', 'shield-contextual', 3.5), cpu('3b', 'shield-no-cache', 3.5)],
  },
];
