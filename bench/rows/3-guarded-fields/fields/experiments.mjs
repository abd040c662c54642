import { answers, measure } from '../operation.mjs';
import { everyField } from '../schema.mjs';

const libraries = ['bare', 'doorward', 'pothos', 'generic-auth', 'graphql-authz', 'shield-contextual'];
const shared = {
  folder: import.meta.url,
  figures: { cpuMs: 'CPU ms', wallMs: 'wall ms' },
  nullPair: 'bare',
  timing: { full: { warmUpMs: 800, measureMs: 1_200 }, quick: { warmUpMs: 20, measureMs: 20 } },
  answers,
  measure,
};
const cpu = (row, peer, atLeast, stretch) => ({
  row,
  figure: 'cpuMs',
  ratio: [peer, 'doorward'],
  atLeast,
  ...(stretch !== undefined && { stretch }),
});

export const experiments = [
  {
    ...shared,
    title: 'validate + execute, 19,001 fields, all guarded',
    input: { guarded: everyField },
    contestants: [...libraries, 'shield-no-cache', 'async-wrapper'],
    goals: [
      cpu('3a', 'bare', 0.85, 0.95),
      cpu('3a', 'shield-contextual', 4, 5.5),
      cpu('3a', 'shield-no-cache', 4, 5.5),
      cpu('3a', 'async-wrapper', 2.5),
    ],
  },
  {
    ...shared,
    title: 'validate + execute, 19,001 fields, only Query.users guarded',
    input: { guarded: ['Query.users'] },
    contestants: [...libraries, 'shield-no-cache'],
    goals: [cpu('3b', 'bare', 0.85, 1), cpu('3b', 'shield-contextual', 3.5), cpu('3b', 'shield-no-cache', 3.5)],
  },
  {
    ...shared,
    title: 'parse + validate + execute, 20 fields, all guarded',
    input: { guarded: everyField, users: 1, fromText: true },
    contestants: [...libraries, 'async-wrapper'],
    goals: [cpu('3c', 'bare', 0.85, 0.95), cpu('3c', 'generic-auth', 1.15), cpu('3c', 'graphql-authz', 1.5)],
  },
];
