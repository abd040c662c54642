import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { jsonRequests, policies } from '../abac/support/random.ts';
import { decidersOf } from './answers.ts';
import { bulkOpa } from './ask-opa.ts';
import { likelyRequests } from './likely-requests.ts';
import { type RealOpa, startOpa } from './real-opa.ts';

/**
 * `OPA_REQUESTS=10000000 OPA_SEED=1 npx vitest run --project opa test/opa/policies.opa.test.ts` asks more, and says
 * how far it has come: a run that was stopped goes on with the seed that it said last.
 */
const REQUESTS = Number(process.env.OPA_REQUESTS ?? 100_000);
const FIRST_SEED = Number(process.env.OPA_SEED ?? Date.now() % 1_000_000_000);
const PER_POLICY = 500;
const SAYS = 1_000_000;
const LANES = ['lane_0', 'lane_1'];

let opa: RealOpa;
beforeAll(async () => {
  opa = await startOpa();
});
afterAll(() => opa?.stop());

it(`${REQUESTS} requests: a real OPA server says what the reference, closures and generated code say`, async () => {
  const last = FIRST_SEED + Math.ceil(REQUESTS / PER_POLICY);
  const answered = { allow: 0, deny: 0, none: 0 };
  const differences: unknown[] = [];
  let seed = FIRST_SEED;

  await Promise.all(
    LANES.map(async (lane) => {
      const ask = await bulkOpa(opa, lane);
      while (seed < last && differences.length === 0) {
        const own = seed++;
        const [policy] = fc.sample(policies, { numRuns: 1, seed: own });
        if (policy === undefined) throw new Error('no policy');
        const numRuns = PER_POLICY / 2;
        const requests = [
          ...fc.sample(jsonRequests, { numRuns, seed: own }),
          ...fc.sample(likelyRequests, { numRuns, seed: own }),
        ];
        const theirs = await ask(policy, requests);
        const deciders = Object.entries(decidersOf(policy));
        for (const [index, request] of requests.entries()) {
          const [rule, allowed, allow] = theirs[index] ?? [];
          answered[rule === null ? 'none' : allow ? 'allow' : 'deny']++;
          for (const [name, decide] of deciders) {
            const ours = decide(request);
            if (ours[0] === rule && ours[1] === allowed && ours[2] === allow) continue;
            differences.push({ seed: own, policy, request, name, ours, theirs: theirs[index] });
          }
        }
        const done = (own + 1 - FIRST_SEED) * PER_POLICY;
        if (done % SAYS === 0) console.info(`${done} requests, ${differences.length} differences, next seed ${seed}`);
      }
    }),
  );

  expect(differences.slice(0, 3)).toEqual([]);
  const sum = answered.allow + answered.deny + answered.none;
  expect(sum).toBeGreaterThanOrEqual(REQUESTS);
  for (const count of Object.values(answered)) expect(count).toBeGreaterThan(sum / 50);
  if (process.env.OPA_REQUESTS !== undefined) console.info(`${sum} requests, no difference`, answered);
}, 7_200_000);
