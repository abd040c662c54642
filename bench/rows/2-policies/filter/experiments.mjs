import { answers, measure } from './filter.mjs';

export const experiments = [
  {
    folder: import.meta.url,
    title: 'filter 10,000 documents: what may this person read?',
    input: { documents: 10_000 },
    contestants: ['hand-written', 'doorward', 'doorward-one-by-one', 'casl'],
    figures: { cpuMs: 'CPU ms', wallMs: 'wall ms' },
    nullPair: 'doorward',
    timing: { full: { warmUpMs: 500, measureMs: 800 }, quick: { warmUpMs: 30, measureMs: 30 } },
    answers,
    measure,
    goals: [{ row: '2d', figure: 'cpuMs', ratio: ['casl', 'doorward'], atLeast: 8, stretch: 15 }],
  },
];
