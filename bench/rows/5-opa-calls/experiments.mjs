import { answers, measure } from './calls.mjs';

const shared = {
  folder: import.meta.url,
  figures: {
    cpuUs: 'CPU µs',
    perSecond: 'decisions/s',
    p99Ms: 'p99 ms',
    callsPerDecision: 'calls/decision',
  },
  nullPair: 'doorward',
  timing: { full: { warmUpMs: 1_000, measureMs: 2_000 }, quick: { warmUpMs: 50, measureMs: 50 } },
  answers,
  measure,
};
const cheaper = (row, peer, atLeast, stretch) => ({
  row,
  figure: 'cpuUs',
  ratio: [peer, 'doorward'],
  atLeast,
  ...(stretch !== undefined && { stretch }),
});

const distinct = (inFlight) => ({
  ...shared,
  title: `ask a policy server, ${inFlight} questions at a time, no two alike`,
  input: { inFlight },
  contestants: ['undici-dispatch', 'doorward', 'doorward-every-call', 'undici-request', 'axios', 'opa-sdk'],
  goals: [
    cheaper('5a', 'opa-sdk', 10),
    cheaper('5a', 'axios', 4),
    cheaper('5a', 'undici-request', 0.85, 1.2),
    { row: '5b', figure: 'cpuUs', ratio: ['doorward', 'doorward-every-call'], atMost: 1.15 },
  ],
});

export const experiments = [
  distinct(50),
  distinct(500),
  {
    ...shared,
    title: 'ask a policy server, 500 questions at a time, 20 in turn',
    input: { inFlight: 500, hot: 20 },
    contestants: ['doorward', 'doorward-cached', 'undici-request'],
    goals: [
      cheaper('5b', 'undici-request', 8, 12),
      { row: '5b', figure: 'callsPerDecision', over: 'aDecision', ratio: ['doorward', 'doorward'], atMost: 0.05 },
    ],
  },
];
