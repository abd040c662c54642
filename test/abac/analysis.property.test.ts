import type { AccessRequest } from 'doorward';
import {
  analyze,
  createPolicyEngine,
  diff,
  type Finding,
  type Policy,
  type PolicyRule,
  prove,
  representatives,
} from 'doorward/abac';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { conditions, policies, requests } from './support/random.ts';
import { decidingRule, evaluate, outcomeOf } from './support/reference.ts';

const LIMIT = 5_000;
const asked = fc.array(requests, { minLength: 30, maxLength: 30 });
const fires = (rule: PolicyRule, request: AccessRequest): boolean => {
  const outcome = outcomeOf(rule, request);
  return outcome === true || (rule.effect === 'deny' && outcome === undefined);
};
const allowed = (policy: Policy, request: AccessRequest): boolean => decidingRule(policy, request)?.effect === 'allow';
const flipped = (policy: Policy, index: number): Policy => ({
  ...policy,
  combining: 'first-match',
  rules: policy.rules.map((rule, at) =>
    at === index ? { ...rule, effect: rule.effect === 'allow' ? 'deny' : 'allow' } : rule,
  ),
});

it('no request contradicts what an analysis says about a rule', () => {
  const seen = new Set<Finding['kind']>();
  let exhausted = 0;
  fc.assert(
    fc.property(policies, asked, (policy, some) => {
      const { findings, exhaustive } = analyze(policy, { limit: LIMIT });
      if (exhaustive) exhausted++;
      for (const finding of findings) {
        seen.add(finding.kind);
        const rule = policy.rules.find(({ id }) => id === finding.ruleId) as PolicyRule;
        if (finding.kind === 'conflict') {
          const other = policy.rules.find(({ id }) => id === finding.by[0]) as PolicyRule;
          expect([fires(rule, finding.example), fires(other, finding.example)]).toEqual([true, true]);
          continue;
        }
        for (const request of some) {
          if (finding.kind === 'dead') expect(fires(rule, request)).toBe(false);
          if (finding.kind === 'always') expect(fires(rule, request)).toBe(true);
          if (finding.kind === 'shadowed') {
            expect(decidingRule(policy, request)?.id).not.toBe(rule.id);
            const by = policy.rules.filter(({ id }) => finding.by.includes(id));
            expect(!fires(rule, request) || by.some((other) => fires(other, request))).toBe(true);
          }
        }
      }
      if (!exhaustive) return;
      for (const rule of policy.rules) {
        if (some.every((request) => !fires(rule, request))) continue;
        expect(findings).not.toContainEqual({ kind: 'dead', policy: policy.name, ruleId: rule.id });
      }
    }),
    { numRuns: 80 },
  );
  expect([...seen]).toEqual(expect.arrayContaining(['conflict', 'dead']));
  expect(exhausted).toBeGreaterThan(50);
});

it('two policies called the same agree on every request, and a counterexample is one', () => {
  const answers = { true: 0, false: 0, undefined: 0 };
  fc.assert(
    fc.property(policies, policies, fc.nat(4), fc.boolean(), asked, (one, another, index, isUnrelated, some) => {
      const other = isUnrelated ? another : flipped(one, index);
      const found = diff(one, other, { limit: LIMIT });
      answers[`${found.same}`]++;
      if (found.same === false) {
        expect(found.a.allowed).toBe(allowed(one, found.request));
        expect(found.b.allowed).toBe(allowed(other, found.request));
        expect(found.a.allowed).not.toBe(found.b.allowed);
        return;
      }
      if (found.same) for (const request of some) expect(allowed(one, request)).toBe(allowed(other, request));
    }),
    { numRuns: 80 },
  );
  expect(answers.true).toBeGreaterThan(5);
  expect(answers.false).toBeGreaterThan(20);
  expect(answers.undefined).toBeLessThan(30);
});

it('a property that is proved holds for every request, and whatever breaks it is a counterexample', () => {
  const answers = { true: 0, false: 0, undefined: 0 };
  fc.assert(
    fc.property(policies, conditions, fc.constantFrom('allow', 'deny'), asked, (policy, json, decision, some) => {
      const when = json as PolicyRule['when'];
      const proof = prove(policy, { when, decision }, { limit: LIMIT });
      answers[`${proof.proved}`]++;
      const breaks = (request: AccessRequest): boolean =>
        evaluate(when, request) === true && allowed(policy, request) !== (decision === 'allow');
      if (proof.proved === false) expect(breaks(proof.request)).toBe(true);
      if (proof.proved) expect(some.filter(breaks)).toEqual([]);
    }),
    { numRuns: 80 },
  );
  expect(answers.true).toBeGreaterThan(2);
  expect(answers.false).toBeGreaterThan(20);
});

it('every outcome that a random request reaches is reached by a representative', () => {
  let tried = 0;
  fc.assert(
    fc.property(policies, asked, (policy, some) => {
      const affix = /"(?:starts|ends)With":\[\{[^\]]*\},\{/.test(JSON.stringify(policy));
      if (affix || JSON.stringify(policy).includes('timeZone')) return;
      const outcomes = (request: AccessRequest): string =>
        policy.rules.map((rule) => String(outcomeOf(rule, request))).join();
      const reached = new Set<string>();
      try {
        for (const request of representatives(policy, { limit: 4_000 })) reached.add(outcomes(request));
      } catch {
        return;
      }
      tried++;
      for (const request of some) expect(reached).toContain(outcomes(request));
    }),
    { numRuns: 40 },
  );
  expect(tried).toBeGreaterThan(5);
});

it('every representative survives JSON and gets the answer of the reference', () => {
  fc.assert(
    fc.property(policies, (policy) => {
      const engine = createPolicyEngine(policy);
      let count = 0;
      for (const request of limited(policy)) {
        if (count++ > 300) break;
        expect(JSON.parse(JSON.stringify(request))).toEqual(request);
        expect(engine.decide(request).ruleId).toBe(decidingRule(policy, request)?.id);
      }
    }),
    { numRuns: 40 },
  );
});

function* limited(policy: Policy): Generator<AccessRequest> {
  try {
    yield* representatives(policy, { limit: 4_000 });
  } catch (error) {
    expect(error).toMatchObject({ code: 'CONFIG_INVALID', field: 'limit' });
  }
}
