import { createPolicyEngine } from 'doorward/abac';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { policies, requests } from './support/random.ts';
import { decidingRule, outcomeOf } from './support/reference.ts';

it('the engine agrees with a plain evaluator on every rule of random policies, for clean and dirty requests', () => {
  fc.assert(
    fc.property(policies, fc.array(requests, { minLength: 10, maxLength: 10 }), (random, asked) => {
      const engine = createPolicyEngine(random);
      for (const request of asked) {
        const expected = decidingRule(random, request);
        const decision = engine.decide(request);
        expect([decision.ruleId, decision.effect, decision.allowed]).toEqual([
          expected?.id,
          expected?.effect ?? 'deny',
          expected?.effect === 'allow',
        ]);
        const outcomes = { true: 'match', false: 'no_match', undefined: 'unknown' };
        expect(decision.trace?.().rules.map((rule) => rule.outcome)).toEqual(
          random.rules.map((rule) => outcomes[`${outcomeOf(rule, request)}`]),
        );
      }
    }),
    { numRuns: 2_000 },
  );
});
