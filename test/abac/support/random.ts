import type { AccessRequest } from 'doorward';
import { type Policy, parsePolicy } from 'doorward/abac';
import fc from 'fast-check';

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
  'environment.time',
  'environment.ip',
  'environment.a',
];
const TEXTS = ['a', 'b', 'ab', '', 'read', '1', '\u{1f600}', '\uff5e', '"\\\n\u2028', '__proto__', 'constructor'];
const constant = fc.constantFrom<unknown>(...TEXTS, 0, 1, -0, 9.5, -3, 1e21, true, false);
const attribute = fc.oneof(
  { arbitrary: fc.constantFrom(...PATHS).map((attr) => ({ attr })), weight: 20 },
  {
    arbitrary: fc
      .constantFrom('UTC', 'Europe/Berlin', 'Asia/Kolkata', 'America/St_Johns')
      .map((timeZone) => ({ attr: 'environment.hour', timeZone })),
    weight: 1,
  },
);
const operand = fc.oneof(constant, attribute, attribute);
const list = fc.oneof(attribute, fc.array(constant, { maxLength: 3 }));

const isValid = (rule: object): boolean => {
  try {
    parsePolicy({ name: 'p', combining: 'first-match', rules: [{ id: 'r', effect: 'allow', ...rule }] });
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
  .filter((when) => isValid({ when }));

/** Conditions of every operator but `predicate`, as JSON. */
export const conditions: fc.Arbitrary<unknown> = fc.letrec<{ condition: unknown }>((tie) => {
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
}).condition;

const names = (...all: string[]) => fc.uniqueArray(fc.constantFrom(...all), { minLength: 1, maxLength: 2 });
const about = fc.record({ resources: names('a', 'b', 'document'), actions: names('read', 'a') }, { requiredKeys: [] });
const when = fc.oneof({ arbitrary: conditions, weight: 12 }, { arbitrary: fc.constant('always'), weight: 1 });
const rules = (...effects: string[]) =>
  fc.array(
    fc.tuple(fc.constantFrom(...effects), about, when).map(([effect, target, condition]) => ({
      effect,
      ...target,
      when: condition,
    })),
    { maxLength: 5 },
  );

/** Policies of every combining, checked by the parser as users' are. */
export const policies: fc.Arbitrary<Policy> = fc
  .oneof(
    ...['first-match', 'deny-overrides'].map((combining) =>
      rules('allow', 'deny').map((some) => ({ combining, rules: some })),
    ),
    rules('allow').map((some) => ({ combining: 'any-allow', rules: some })),
  )
  .map(({ combining, rules: some }) =>
    parsePolicy({ name: 'random', combining, rules: some.map((rule, index) => ({ id: `r${index}`, ...rule })) }),
  );

/** What JSON can carry, where a value belongs and where it does not. */
const wild = fc.oneof(
  { arbitrary: constant, weight: 6 },
  {
    arbitrary: fc.constantFrom<unknown>(null, {}, [], ['a'], ['b', ''], ['a', null], [['a']], ['read', 1], { a: 'a' }),
    weight: 3,
  },
);
/** What a store, a token or a careless caller may hand over beside that. */
const odd = fc.constantFrom<unknown>(
  undefined,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  Object('a'),
  new Date(0),
  Symbol('a'),
  1n,
  () => 'a',
  new Array(1),
);
const times = fc.constantFrom<unknown>(
  0,
  1,
  1_772_452_799_999,
  1_772_452_800_000,
  1_792_893_600_000,
  -1,
  0.5,
  9e15,
  'a',
  null,
);

function requestsOf(value: fc.Arbitrary<unknown>, strange: readonly unknown[]): fc.Arbitrary<AccessRequest> {
  const ofNames = fc.record({ a: value, b: value }, { requiredKeys: [] });
  const own = fc.constantFrom<unknown>(null, 'a', 5, [], JSON.parse('{"__proto__":{"a":"a","b":"b"}}'), ...strange);
  const attributes = fc.oneof({ arbitrary: ofNames, weight: 12 }, { arbitrary: own, weight: 1 });
  const part = (fields: Record<string, fc.Arbitrary<unknown>>) =>
    fc.oneof(
      { arbitrary: fc.record({ ...fields, attributes }, { requiredKeys: [] }), weight: 20 },
      { arbitrary: fc.constantFrom<unknown>(null, 'a', []), weight: 1 },
    );
  const request = {
    subject: part({ id: value, roles: value }),
    action: value,
    resource: part({ type: fc.oneof(value, fc.constantFrom('a', 'b', 'document')), id: value }),
    environment: part({ hour: value, time: fc.oneof(times, value), ip: value }),
  };
  return fc.record(request, { requiredKeys: [] }) as unknown as fc.Arbitrary<AccessRequest>;
}

/** Clean and dirty requests that survive the way through JSON unchanged, so that an OPA server can be asked. */
export const jsonRequests: fc.Arbitrary<AccessRequest> = requestsOf(wild, []);

/** The same, and values that only a process can hold: inherited properties, boxed texts, `NaN`, functions. */
export const requests: fc.Arbitrary<AccessRequest> = requestsOf(fc.oneof({ arbitrary: wild, weight: 8 }, odd), [
  undefined,
  Object.create({ a: 'a', b: 'b' }),
]);
