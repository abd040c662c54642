import { answers, measure } from './transform.mjs';

const shared = {
  folder: import.meta.url,
  figures: { cpuMs: 'CPU ms', wallMs: 'wall ms' },
  nullPair: 'get-directive',
  contestants: ['get-directive', 'map-schema', 'in-place', 'doorward'],
  // A server does this once, so it is measured after a short warm-up.
  timing: { full: { warmUpMs: 300, measureMs: 1_500 }, quick: { warmUpMs: 0, measureMs: 0 } },
  answers,
  measure,
};
const goals = [
  { row: '6', figure: 'cpuMs', ratio: ['get-directive', 'doorward'], atLeast: 1, stretch: 10 },
  { row: '6', figure: 'cpuMs', ratio: ['map-schema', 'doorward'], atLeast: 0.67, stretch: 1 },
];

export const experiments = [
  { ...shared, goals, title: 'schema transform, 6,094 fields, 100 guarded', input: { guarded: 100 } },
  { ...shared, goals, title: 'schema transform, 6,094 fields, 4,445 guarded', input: { guarded: 4_445 } },
];
