import { readFileSync } from 'node:fs';
import { createPolicyEngine, parsePolicy } from 'doorward/abac';
import { expect, it } from 'vitest';
import { decidersOf } from '../opa/answers.ts';
import { RECORDED, type Recorded } from '../opa/recorded.ts';

const { opa, policies }: Recorded = JSON.parse(readFileSync(RECORDED, 'utf8'));
const answers = policies.flatMap(({ asked }) => asked.map(([, answer]) => answer));

it.each(['reference', 'closures', 'code'] as const)(`OPA ${opa} said what is decided by the %s`, (name) => {
  for (const { policy, asked } of policies) {
    const decide = decidersOf(parsePolicy(policy))[name];
    const ours = asked.map(([request]) => decide?.(request));
    expect({ policy, ours }).toEqual({ policy, ours: asked.map(([, answer]) => answer) });
  }
});

it('the record is of these policies, and holds every kind of answer many times', () => {
  for (const { revision, policy } of policies) expect(createPolicyEngine(policy).revision).toBe(revision);
  const kinds = answers.map(([rule, allowed]) => (rule === null ? 'none' : allowed ? 'allow' : 'deny'));
  for (const kind of ['none', 'allow', 'deny']) {
    expect(kinds.filter((each) => each === kind).length).toBeGreaterThan(100);
  }
  expect(answers.length).toBeGreaterThanOrEqual(3_000);
});
