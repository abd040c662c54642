import type { AccessRequest, Decision } from 'doorward';
import { createPolicyEngine, type Policy, type PolicyEngine, parsePolicy } from 'doorward/abac';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { policies, requests } from './support/random.ts';
import { decidingRule, outcomeOf } from './support/reference.ts';
import { runs } from './support/runs.ts';

/** Every way to decide that there is. */
function enginesOf(policy: Policy): readonly PolicyEngine[] {
  return [false, true].flatMap((generateCode) =>
    [false, true].map((trace) => createPolicyEngine(policy, { generateCode, trace })),
  );
}

const OUTCOMES = { true: 'match', false: 'no_match', undefined: 'unknown' };

function requireEqual(policy: Policy, asked: readonly AccessRequest[]): void {
  const answers = asked.map((request) => {
    const rule = decidingRule(policy, request);
    return [rule?.id, rule?.effect ?? 'deny', rule?.effect === 'allow', rule === undefined ? 'no_rule' : 'rule'];
  });
  const said = ({ ruleId, effect, allowed, reason }: Decision) => [ruleId, effect, allowed, reason];
  const outcomes = asked.map((request) => policy.rules.map((rule) => OUTCOMES[`${outcomeOf(rule, request)}`]));
  for (const engine of enginesOf(policy)) {
    const decisions = asked.map((request) => engine.decide(request));
    expect(decisions.map(said)).toEqual(answers);
    expect(engine.decideAll(asked).map(said)).toEqual(answers);
    decisions.forEach(({ trace }, i) => {
      if (trace !== undefined) expect(trace().rules.map(({ outcome }) => outcome)).toEqual(outcomes[i]);
    });
  }
}

it('every engine agrees with the reference on every rule of random policies, for clean and dirty requests', () => {
  fc.assert(fc.property(policies, fc.array(requests, { minLength: 10, maxLength: 10 }), requireEqual), {
    numRuns: runs(1_000),
  });
}, 120_000);

/** Policies that the index splits: many rules over few keys, some of them with several keys and some with none. */
const value = fc.constantFrom<unknown>('a', 'b', 'document', 'read', 1, true, 'ab');
const atom = fc.oneof(
  fc.tuple(fc.constantFrom('subject.a', 'resource.a'), value).map(([attr, one]) => ({ eq: [{ attr }, one] })),
  fc.tuple(fc.constantFrom('resource.type', 'action'), fc.constantFrom('a', 'b', 'read')).map(([attr, one]) => ({
    eq: [one, { attr }],
  })),
  fc.constantFrom('a', 'b', 'ab', 'read').map((role) => ({ contains: [{ attr: 'subject.roles' }, role] })),
  fc
    .uniqueArray(fc.constantFrom('a', 'b', 'read'), { minLength: 1, maxLength: 3 })
    .map((list) => ({ in: [{ attr: 'resource.b' }, list] })),
  fc.constantFrom({ ne: [{ attr: 'subject.b' }, 'a'] }, { present: { attr: 'resource.b' } }),
);
const manyRules = (...effects: string[]) =>
  fc.array(
    fc
      .tuple(fc.constantFrom(...effects), fc.array(atom, { minLength: 1, maxLength: 3 }), fc.boolean())
      .map(([effect, and, isTyped]) => ({
        effect,
        ...(isTyped && { resources: ['document', 'a'], actions: ['read'] }),
        when: { and },
      })),
    { minLength: 50, maxLength: 200 },
  );
const manyPolicies = fc
  .tuple(fc.constantFrom('first-match', 'deny-overrides', 'any-allow'), manyRules('deny', 'allow', 'allow', 'allow'))
  .map(([combining, rules]) =>
    parsePolicy({
      name: 'many',
      combining,
      rules: rules
        .filter(({ effect }) => combining !== 'any-allow' || effect === 'allow')
        .map((rule, index) => ({ id: `r${index}`, ...rule })),
    }),
  );

it('and so on policies of many rules, which an index leads to', () => {
  fc.assert(fc.property(manyPolicies, fc.array(requests, { minLength: 10, maxLength: 10 }), requireEqual), {
    numRuns: runs(100),
  });
}, 120_000);
