import { readFileSync, writeFileSync } from 'node:fs';
import { createPolicyEngine } from 'doorward/abac';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { jsonRequests, policies } from '../abac/support/random.ts';
import { bulkOpa } from './ask-opa.ts';
import { likelyRequests } from './likely-requests.ts';
import { opaVersion, type RealOpa, startOpa } from './real-opa.ts';
import { RECORDED, type Recorded } from './recorded.ts';

const SEED = 1;
const POLICIES = 150;

let opa: RealOpa;
beforeAll(async () => {
  opa = await startOpa();
  if (process.env.OPA_RECORD !== undefined) await record();
});
afterAll(() => opa?.stop());

/** `OPA_RECORD=1` writes the file anew, with what the server says now. */
async function record(): Promise<void> {
  const ask = await bulkOpa(opa);
  const requests = [
    ...fc.sample(jsonRequests, { numRuns: POLICIES * 10, seed: SEED }),
    ...fc.sample(likelyRequests, { numRuns: POLICIES * 10, seed: SEED }),
  ];
  const recorded: Recorded['policies'][number][] = [];
  for (const [index, policy] of fc.sample(policies, { numRuns: POLICIES, seed: SEED }).entries()) {
    const some = requests.filter((_, at) => at % POLICIES === index);
    const answers = await ask(policy, some);
    const asked = some.map((request, at) => [request, answers[at] ?? [null, false, false]] as const);
    recorded.push({ revision: createPolicyEngine(policy).revision, policy, asked });
  }
  const lines = recorded.map((each) => JSON.stringify(each)).join(',\n');
  writeFileSync(RECORDED, `{"opa":${JSON.stringify(opaVersion())},"policies":[\n${lines}\n]}\n`);
}

it('the server says what was recorded', async () => {
  const recorded: Recorded = JSON.parse(readFileSync(RECORDED, 'utf8'));
  const ask = await bulkOpa(opa);
  expect(opaVersion()).toBe(recorded.opa);
  for (const { policy, asked } of recorded.policies) {
    const requests = asked.map(([request]) => request);
    expect(await ask(policy, requests)).toEqual(asked.map(([, answer]) => answer));
  }
}, 60_000);
