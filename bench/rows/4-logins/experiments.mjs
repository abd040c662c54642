import { answers, measure } from './logins.mjs';

export const experiments = [
  {
    folder: import.meta.url,
    title: '8 logins at a time (bcrypt, cost 12), beside a GET /ping every 25 ms',
    input: {
      password: 'correct horse battery staple',
      stored: '$2b$12$NPRV1BbMgS4dz8L9qT/WwOTx.hZquXpmnEd3Xf315vlpIGdoW9ERy',
    },
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
];
