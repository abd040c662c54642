import { contractDecisionPolicy, contractPolicy, representatives } from 'doorward/abac';
import { contractRoles } from 'doorward/rbac';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { decidersOf } from './answers.ts';
import { bulkOpa } from './ask-opa.ts';
import { type RealOpa, startOpa } from './real-opa.ts';

const POLICIES = { contractPolicy, contractDecisionPolicy: contractDecisionPolicy(contractRoles.grants) };
const BATCH = 2_000;

let opa: RealOpa;
beforeAll(async () => {
  opa = await startOpa();
});
afterAll(() => opa?.stop());

it.each(Object.entries(POLICIES))(
  '%s: a real OPA server says what we say, for requests that stand for all requests',
  async (_, policy) => {
    const ask = await bulkOpa(opa);
    const requests = [...representatives(policy)];
    const deciders = Object.entries(decidersOf(policy));
    const differences: unknown[] = [];
    const rules = new Set<unknown>();
    for (let start = 0; start < requests.length; start += BATCH) {
      const batch = requests.slice(start, start + BATCH);
      const theirs = await ask(policy, batch);
      for (const [index, request] of batch.entries()) {
        rules.add(theirs[index]?.[0]);
        for (const [name, decide] of deciders) {
          const ours = decide(request);
          if (`${ours}` !== `${theirs[index]}`) differences.push({ name, request, ours, theirs: theirs[index] });
        }
      }
    }
    expect(differences.slice(0, 3)).toEqual([]);
    expect([...rules].sort()).toEqual([...policy.rules.map(({ id }) => id), null].sort());
    expect(requests.length).toBeGreaterThan(1_000);
    if (process.env.OPA_REQUESTS !== undefined) console.info(`${policy.name}: ${requests.length} representatives`);
  },
  600_000,
);
