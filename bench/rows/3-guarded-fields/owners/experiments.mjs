import { answers, measure } from '../operation.mjs';
import { objectFields } from '../schema.mjs';

const cpu = (peer, atLeast) => ({ row: '3e', figure: 'cpuMs', ratio: [peer, 'doorward'], atLeast });

export const experiments = [
  {
    folder: import.meta.url,
    title: 'validate + execute, 19,001 fields, 19,000 guarded by the owner of their object',
    input: { guarded: objectFields },
    contestants: ['bare', 'doorward', 'sync-wrapper', 'pothos', 'shield-no-cache', 'async-wrapper'],
    figures: { cpuMs: 'CPU ms', wallMs: 'wall ms' },
    nullPair: 'bare',
    timing: { full: { warmUpMs: 800, measureMs: 1_200 }, quick: { warmUpMs: 20, measureMs: 20 } },
    answers,
    measure,
    goals: [cpu('bare', 0.7), cpu('shield-no-cache', 2.5)],
  },
];
