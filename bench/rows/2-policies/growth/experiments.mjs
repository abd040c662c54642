import { answers, measure, SIZES } from './growth.mjs';

const figures = Object.fromEntries([
  ...SIZES.map((size) => [`cpuUs${size}`, `CPU µs at ${size.toLocaleString('en')}`]),
  ...SIZES.map((size) => [`loadMs${size}`, `load ms at ${size.toLocaleString('en')}`]),
]);
const [smallest, largest] = [SIZES[0], SIZES.at(-1)];
const grows = (ours) => ({
  row: '2c',
  figure: `cpuUs${largest}`,
  over: `cpuUs${smallest}`,
  ratio: [ours, ours],
  atMost: 3,
  stretch: 2,
});
const cheaper = (ours, peer, atLeast, stretch) => ({
  row: '2c',
  figure: `cpuUs${largest}`,
  ratio: [peer, ours],
  atLeast,
  ...(stretch !== undefined && { stretch }),
});
const shared = {
  folder: import.meta.url,
  figures,
  timing: { full: { warmUpMs: 150, measureMs: 250 }, quick: { warmUpMs: 5, measureMs: 5 } },
  answers,
  measure,
};

export const experiments = [
  {
    ...shared,
    title: 'decide by attributes: 10 to 10,000 rules, each for one department',
    input: { rules: 'department' },
    contestants: ['doorward', 'doorward-code', 'casl'],
    nullPair: 'doorward',
    goals: ['doorward', 'doorward-code'].flatMap((ours) => [grows(ours), cheaper(ours, 'casl', 500, 5_000)]),
  },
  {
    ...shared,
    title: 'decide by roles: 10 to 10,000 rules, each for one role',
    input: { rules: 'role' },
    contestants: ['doorward', 'doorward-code', 'doorward-table', 'casl-of-the-role', 'casbin'],
    nullPair: 'doorward',
    goals: ['doorward', 'doorward-code', 'doorward-table'].flatMap((ours) => [
      grows(ours),
      cheaper(ours, 'casbin', 5_000),
    ]),
  },
];
