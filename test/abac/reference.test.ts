import type { AccessRequest } from 'doorward';
import { type Condition, createPolicyEngine, type Policy, type PolicyRule, parsePolicy, policy } from 'doorward/abac';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { evaluate, firstMatch } from './reference.ts';

const PATHS = [
  'subject.id',
  'subject.roles',
  'subject.a',
  'subject.b',
  'resource.type',
  'resource.id',
  'resource.a',
  'resource.b',
  'action',
  'environment.hour',
  'environment.ip',
];
const constant = fc.constantFrom<unknown>('a', 'b', 'ab', '', 'read', '1', 0, 1, -0, 9.5, true, false);
const attribute = fc.constantFrom(...PATHS).map((attr) => ({ attr }));
const operand = fc.oneof(constant, attribute, attribute);
const list = fc.oneof(attribute, fc.array(constant, { maxLength: 3 }));

const isValid = (when: unknown): boolean => {
  try {
    parsePolicy({ name: 'p', combining: 'first-match', rules: [{ id: 'r', effect: 'allow', when }] });
    return true;
  } catch {
    return false;
  }
};
const pairOf = (operator: string) => fc.tuple(operand, operand).map((pair) => ({ [operator]: pair }));
const leaf = fc
  .oneof(
    ...['eq', 'ne', 'lt', 'lte', 'gt', 'gte', 'startsWith', 'endsWith'].map(pairOf),
    fc.tuple(operand, list).map((pair) => ({ in: pair })),
    fc.tuple(list, operand).map((pair) => ({ contains: pair })),
    attribute.map((present) => ({ present })),
  )
  .filter(isValid);
const { condition } = fc.letrec<{ condition: unknown }>((tie) => {
  const several = fc.array(tie('condition'), { minLength: 1, maxLength: 3 });
  return {
    condition: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      leaf,
      several.map((and) => ({ and })),
      several.map((or) => ({ or })),
      tie('condition').map((not) => ({ not })),
    ),
  };
});
const policies: fc.Arbitrary<Policy> = fc
  .array(fc.record({ effect: fc.constantFrom('allow', 'deny'), when: condition }), { maxLength: 4 })
  .map((rules) =>
    parsePolicy(
      policy(
        'random',
        rules.map((rule, index) => ({ id: `r${index}`, ...rule }) as PolicyRule),
      ),
    ),
  );

/** Whatever a store, a token or a careless caller may put where a value belongs. */
const dirty = fc.oneof(
  constant,
  fc.constantFrom<unknown>(
    null,
    undefined,
    Number.NaN,
    Infinity,
    {},
    [],
    ['a'],
    ['b', ''],
    ['a', null],
    [['a']],
    new Array(1),
  ),
  fc.constantFrom<unknown>(Object('a'), new Date(0), Symbol('a'), 1n, () => 'a'),
);
const attributes = fc.oneof(
  { arbitrary: fc.record({ a: dirty, b: dirty }, { requiredKeys: [] }), weight: 9 },
  { arbitrary: fc.constantFrom<unknown>(null, undefined, 'a', Object.create({ a: 'a', b: 'b' })), weight: 1 },
);
const requests = fc.record({
  subject: fc.record({ id: dirty, roles: dirty, attributes }, { requiredKeys: [] }),
  action: dirty,
  resource: fc.record({ type: dirty, id: dirty, attributes }, { requiredKeys: [] }),
  environment: fc.record({ hour: dirty, ip: dirty }, { requiredKeys: [] }),
}) as unknown as fc.Arbitrary<AccessRequest>;

it('the engine agrees with a plain evaluator on every rule of random policies, for clean and dirty requests', () => {
  fc.assert(
    fc.property(policies, fc.array(requests, { minLength: 10, maxLength: 10 }), (random, asked) => {
      const engine = createPolicyEngine(random);
      for (const request of asked) {
        const expected = firstMatch(random, request);
        const decision = engine.decide(request);
        expect([decision.ruleId, decision.effect, decision.allowed]).toEqual([
          expected?.id,
          expected?.effect ?? 'deny',
          expected?.effect === 'allow',
        ]);
        const outcomes = { true: 'match', false: 'no_match', undefined: 'unknown' };
        expect(decision.trace?.().rules.map((rule) => rule.outcome)).toEqual(
          random.rules.map(({ when }) => outcomes[`${evaluate(when as Condition, request)}`]),
        );
      }
    }),
    { numRuns: 2_000 },
  );
});
