import { measure as measureFlood } from './flood.mjs';
import { answers, measure } from './logins.mjs';
import { measure as measurePairs } from './pairs.mjs';
import { measure as measureThroughput } from './throughput.mjs';

const input = {
  password: 'correct horse battery staple',
  stored: '$2b$12$NPRV1BbMgS4dz8L9qT/WwOTx.hZquXpmnEd3Xf315vlpIGdoW9ERy',
};
/** A goal for one contestant: one of its figures over another. */
const within = (row, contestant, figure, over, bound) => ({
  row,
  figure,
  over,
  ratio: [contestant, contestant],
  ...bound,
});

export const experiments = [
  {
    folder: import.meta.url,
    title: '8 logins at a time (bcrypt, cost 12), beside a GET /ping every 25 ms',
    input,
    contestants: ['idle', 'doorward', 'bcryptjs-main-thread'],
    figures: {
      pingP99Ms: 'ping p99 ms',
      pingP50Ms: 'ping p50 ms',
      loopP99Ms: 'loop p99 ms',
      loginsPerSecond: 'logins/s',
      cpuMsPerLogin: 'CPU ms/login',
    },
    nullPair: 'idle',
    timing: { full: { warmUpMs: 1_500, measureMs: 6_000 }, quick: { warmUpMs: 500, measureMs: 500 } },
    answers,
    measure,
    goals: [
      { row: '4a', figure: 'pingP99Ms', ratio: ['doorward', 'idle'], atMost: 5 },
      { row: '4a', figure: 'pingP99Ms', ratio: ['bcryptjs-main-thread', 'doorward'], atLeast: 50 },
      { row: '4b', figure: 'loopP99Ms', ratio: ['doorward', 'idle'], atMost: 3 },
    ],
  },
  {
    folder: import.meta.url,
    title: '8 logins at a time and nothing else (Argon2id for information)',
    input,
    contestants: ['doorward', 'bcryptjs-main-thread', 'argon2'],
    figures: {
      loginsPerSecond: 'logins/s',
      cpuMsPerLogin: 'CPU ms/login',
      loginP50Ms: 'login p50 ms',
      loginP99Ms: 'login p99 ms',
    },
    nullPair: 'doorward',
    timing: { full: { warmUpLogins: 8, logins: 48 }, quick: { warmUpLogins: 2, logins: 8 } },
    answers,
    measure: measureThroughput,
    goals: [
      { row: '4c', figure: 'loginsPerSecond', ratio: ['doorward', 'bcryptjs-main-thread'], atLeast: 1.7 },
      { row: '4c', figure: 'cpuMsPerLogin', ratio: ['doorward', 'bcryptjs-main-thread'], atMost: 1.1 },
      within('4c', 'doorward', 'loginP99Ms', 'loginP50Ms', { atMost: 1.6 }),
    ],
  },
  {
    folder: import.meta.url,
    title: 'unknown-vs-known: a wrong password for an account that exists, and for one that does not',
    input,
    contestants: ['doorward', 'argon2'],
    figures: { knownMs: 'known ms', unknownMs: 'unknown ms' },
    nullPair: 'doorward',
    timing: { full: { pairs: 30 }, quick: { pairs: 2 } },
    answers,
    measure: measurePairs,
    goals: ['doorward', 'argon2'].flatMap((contestant) => [
      within('4d', contestant, 'unknownMs', 'knownMs', { atLeast: 0.9 }),
      within('4d', contestant, 'unknownMs', 'knownMs', { atMost: 1.1 }),
    ]),
  },
  {
    folder: import.meta.url,
    title: '64 logins at once',
    input,
    contestants: ['doorward', 'argon2'],
    figures: { loopP99Ms: 'loop p99 ms', refused: 'refused', rssMiB: 'RSS MiB' },
    nullPair: 'argon2',
    timing: { full: { atOnce: 64 }, quick: { atOnce: 8 } },
    answers,
    measure: measureFlood,
    goals: ['doorward', 'argon2'].map((contestant) =>
      within('4e', contestant, 'loopP99Ms', 'allowedMs', { atMost: 1 }),
    ),
  },
  {
    folder: import.meta.url,
    title: '1,000 logins at once, one worker',
    input,
    contestants: ['doorward-one-worker', 'argon2-one-at-a-time'],
    figures: {
      slowestRefusalMs: 'slowest refusal ms',
      refused: 'refused',
      loopP99Ms: 'loop p99 ms',
      rssMiB: 'RSS MiB',
      loginAfterwardsMs: 'login afterwards ms',
    },
    nullPair: 'argon2-one-at-a-time',
    timing: { full: { atOnce: 1_000 }, quick: { atOnce: 70 } },
    answers,
    measure: measureFlood,
    goals: ['doorward-one-worker', 'argon2-one-at-a-time'].map((contestant) =>
      within('4f', contestant, 'slowestRefusalMs', 'allowedMs', { atMost: 1 }),
    ),
  },
];
