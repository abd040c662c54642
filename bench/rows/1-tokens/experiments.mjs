import { answers, measure } from './tokens.mjs';

const shared = {
  folder: import.meta.url,
  figures: { cpuUs: 'CPU µs', wallUs: 'wall µs' },
  nullPair: 'doorward',
  timing: { full: { warmUpMs: 500, measureMs: 800 }, quick: { warmUpMs: 50, measureMs: 50 } },
  answers,
  measure,
};
const cheaper = (row, peer, atLeast, ours = 'doorward') => ({ row, figure: 'cpuUs', ratio: [peer, ours], atLeast });

const verifying = (row, alg, mustBePem) => ({
  ...shared,
  title: `verify a ${alg} token`,
  input: { task: 'verify', alg, tokens: 'good' },
  contestants: ['doorward', 'bare', 'jsonwebtoken-text', 'jsonwebtoken', 'jose', 'fast-jwt'],
  goals: [cheaper(row, 'jsonwebtoken-text', mustBePem), cheaper(row, 'jsonwebtoken', 0.9), cheaper(row, 'bare', 0.9)],
});
const refusing = (tokens, atLeast) => ({
  ...shared,
  title: `refuse a token: ${tokens}`,
  input: { task: 'verify', alg: 'HS256', tokens },
  contestants: ['doorward', 'jsonwebtoken', 'fast-jwt'],
  goals: [cheaper('1e', 'jsonwebtoken', atLeast)],
});

export const experiments = [
  {
    ...shared,
    title: 'verify an HS256 token',
    input: { task: 'verify', alg: 'HS256', tokens: 'good' },
    contestants: ['doorward', 'bare', 'jsonwebtoken-text', 'jsonwebtoken', 'jose', 'fast-jwt'],
    goals: [cheaper('1a', 'jsonwebtoken-text', 25), cheaper('1a', 'jsonwebtoken', 0.9), cheaper('1a', 'fast-jwt', 1.1)],
  },
  {
    ...shared,
    title: 'verify an HS256 token once more, with the cache on',
    input: { task: 'verify', alg: 'HS256', tokens: 'good' },
    contestants: ['doorward-cached', 'jsonwebtoken', 'fast-jwt-cached'],
    nullPair: 'doorward-cached',
    goals: [
      cheaper('1b', 'jsonwebtoken', 15, 'doorward-cached'),
      cheaper('1b', 'fast-jwt-cached', 4, 'doorward-cached'),
    ],
  },
  verifying('1c', 'RS256', 4.5),
  verifying('1c', 'ES256', 2.8),
  {
    ...shared,
    title: 'sign an HS256 token',
    input: { task: 'issue', alg: 'HS256' },
    contestants: ['doorward', 'jsonwebtoken-text', 'jsonwebtoken', 'fast-jwt'],
    goals: [cheaper('1d', 'jsonwebtoken-text', 30)],
  },
  refusing('bad signature', 3),
  refusing('alg none', 20),
  refusing('alg none, no two headers alike', 5),
  refusing('oversize', 20),
];
