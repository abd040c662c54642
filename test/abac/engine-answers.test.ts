import { type Condition, createPolicyEngine } from 'doorward/abac';
import { describe, expect, it } from 'vitest';
import { a, action, engines, hour, policyOf, request } from './support/engines.ts';

describe('an answer', () => {
  it('names no rule where none decided, with a moment and without', () => {
    for (const engine of engines(policyOf({ and: [{ eq: [action, 'read'] }, { lt: [hour, 9] }] }))) {
      for (const asked of [request({}, { action: 'write' }), request({}, { environment: { time: 0, hour: 10 } })]) {
        const decision = engine.decide(asked);
        expect(decision).toMatchObject({
          allowed: false,
          effect: 'deny',
          reason: 'no_rule',
          revision: engine.revision,
        });
        expect(Object.keys(decision)).not.toContain('ruleId');
      }
      expect(engine.decide(request({}, { environment: { time: 0, hour: 8 } }))).toMatchObject({
        allowed: true,
        effect: 'allow',
        reason: 'rule',
        ruleId: 'r0',
        validUntil: 1_000,
      });
    }
  });

  it('of 300 rules is written, of 301 looked for', () => {
    const alike = (count: number) => policyOf(...Array.from({ length: count }, (): Condition => ({ present: a })));
    expect(createPolicyEngine(alike(300), { generateCode: true }).compiled).toBe('code');
    expect(createPolicyEngine(alike(301), { generateCode: true }).compiled).toBe('closures');
  });

  it('is about what is said in options that are refused', () => {
    const said = (options: object, policy = policyOf({ present: a })): unknown => {
      try {
        createPolicyEngine(policy, options);
        return undefined;
      } catch (error) {
        return (error as { message: string }).message;
      }
    };
    expect(said({ generateCode: 1 })).toContain('must be a boolean');
    expect(said({ trace: 1 })).toContain('must be a boolean');
    expect(said({ redact: 'x' })).toContain('must be a list of attribute paths');
    expect(said({ predicates: [] })).toContain('must be a plain object');
    expect(said({ predicates: { p: 1 } })).toContain('must be a function');
    expect(said({}, policyOf({ predicate: 'p' }))).toContain('is named by the policy and missing');
    expect(said({ redact: ['subject.a', 'environment.time'] })).toBeUndefined();
    expect(said({ redact: [5] })).toContain('must be a list of attribute paths');
  });
});
