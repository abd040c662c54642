import type { AccessRequest } from 'doorward';
import { type Policy, parsePolicy } from 'doorward/abac';
import fc from 'fast-check';

/** The columns that random rows have. Of `id` and the lists, too, any may be `NULL`. */
export const columns = {
  id: { column: 'id', type: 'text' },
  t: { column: 't', type: 'text' },
  u: { column: 'u', type: 'text' },
  n: { column: 'n', type: 'number' },
  i: { column: 'i', type: 'integer' },
  b: { column: 'b', type: 'boolean' },
  tags: { column: 'tags', type: 'text[]' },
  levels: { column: 'levels', type: 'number[]' },
} as const;

export type Row = Readonly<Record<keyof typeof columns, unknown>>;

const TEXTS = ['a', 'b', 'ab', '', '%', '_', 'a%b', "'", '"', '\\', '\u{1f600}', '\uff5e', "' OR TRUE --", '__proto__'];
const texts = fc.constantFrom(...TEXTS);
const numbers = fc.constantFrom(0, 1, -3, 9.5, 1e21, -0);
const wholes = fc.constantFrom(0, 1, -3, 9, 10, 2_147_483_647);
const oddNumbers = fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY);
const maybe = <T>(value: fc.Arbitrary<T>) => fc.oneof({ arbitrary: value, weight: 6 }, fc.constant(null));
const listOf = <T>(value: fc.Arbitrary<T>) => maybe(fc.array(value, { maxLength: 3 }));

/** Rows as PostgreSQL keeps them. */
export const rows: fc.Arbitrary<Row> = fc.record({
  id: maybe(texts),
  t: maybe(texts),
  u: maybe(texts),
  n: maybe(fc.oneof({ arbitrary: numbers, weight: 6 }, oddNumbers)),
  i: maybe(wholes),
  b: maybe(fc.boolean()),
  tags: listOf(fc.oneof({ arbitrary: texts, weight: 6 }, fc.constant(null))),
  levels: listOf(fc.oneof({ arbitrary: numbers, weight: 6 }, oddNumbers, fc.constant(null))),
});

const wild = fc.constantFrom<unknown>(
  ...['a', 'ab', '', "'", 0, 1, 9.5, true, false, null, {}, { a: 'a' }, { $ne: 'b' }, new Date(0)],
  ...[[], ['a'], ['', 'a'], ['a', null], [['a']], [{}], [1, 'a'], [9.5, true], [Number.NaN], Number.NaN],
);
/** What documents hold that no schema keeps in order. */
export const dirtyRows: fc.Arbitrary<Partial<Row>> = fc.record(
  { id: wild, t: wild, u: wild, n: wild, i: wild, b: wild, tags: wild, levels: wild },
  { requiredKeys: [] },
);

export function resourceOf({ id, ...attributes }: Partial<Row>): AccessRequest['resource'] {
  return { type: 'document', ...(id !== undefined && { id: id as string }), attributes };
}

const scalar = fc.oneof(texts, numbers, wholes, fc.boolean(), fc.constant(9.5), fc.constant(2 ** 60));
const attr = (...paths: string[]) => fc.constantFrom(...paths).map((path) => ({ attr: path }));
const resourceScalar = attr('resource.id', 'resource.t', 'resource.u', 'resource.n', 'resource.i', 'resource.b');
const resourceList = attr('resource.tags', 'resource.levels');
const known = attr('subject.id', 'subject.a', 'subject.c', 'action', 'environment.hour');
const anywhere = fc.oneof(
  { arbitrary: resourceScalar, weight: 6 },
  { arbitrary: known, weight: 2 },
  { arbitrary: scalar, weight: 3 },
  { arbitrary: resourceList, weight: 1 },
);
const list = fc.oneof(
  { arbitrary: resourceList, weight: 3 },
  attr('subject.roles', 'subject.list'),
  fc.array(scalar, { maxLength: 3 }),
);
const operators = ['eq', 'ne', 'lt', 'lte', 'gt', 'gte', 'startsWith', 'endsWith'];

const pairsOf = (allowed: readonly string[], left: fc.Arbitrary<unknown>, right: fc.Arbitrary<unknown>) =>
  fc.tuple(fc.constantFrom(...allowed), left, right).map(([operator, a, b]) => ({ [operator]: [a, b] }));
const present = fc.oneof(resourceScalar, resourceList).map((attribute) => ({ present: attribute }));

const isValid = (when: unknown): boolean => {
  try {
    parsePolicy({ name: 'p', combining: 'first-match', rules: [{ id: 'r', effect: 'allow', when }] });
    return true;
  } catch {
    return false;
  }
};

const policiesOf = (leaf: fc.Arbitrary<unknown>): fc.Arbitrary<Policy> => {
  const { when } = fc.letrec<{ when: unknown }>((tie) => {
    const several = fc.array(tie('when'), { minLength: 1, maxLength: 3 });
    return {
      when: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        leaf.filter(isValid),
        several.map((and) => ({ and })),
        several.map((or) => ({ or })),
        tie('when').map((not) => ({ not })),
      ),
    };
  });
  const rule = fc.record({ effect: fc.constantFrom('allow', 'allow', 'deny'), when });
  return fc
    .record({
      combining: fc.constantFrom('first-match', 'deny-overrides'),
      rules: fc.array(rule, { minLength: 1, maxLength: 4 }),
    })
    .map(({ combining, rules: some }) =>
      parsePolicy({ name: 'p', combining, rules: some.map((one, index) => ({ id: `r${index}`, ...one })) }),
    );
};

/** Policies about rows, of every operator. */
export const rowPolicies: fc.Arbitrary<Policy> = policiesOf(
  fc.oneof(
    { arbitrary: pairsOf(operators, anywhere, anywhere), weight: 5 },
    pairsOf(['in'], anywhere, list),
    pairsOf(['contains'], list, anywhere),
    present,
  ),
);

const given = fc.oneof(known, scalar);
const givenList = fc.oneof(attr('subject.roles', 'subject.list'), fc.array(scalar, { maxLength: 3 }));

/** Policies that compare one attribute of the resource with what is known, as most policies do. */
export const plainPolicies: fc.Arbitrary<Policy> = policiesOf(
  fc.oneof(
    { arbitrary: pairsOf(operators, resourceScalar, given), weight: 4 },
    pairsOf(['eq', 'ne', 'lt', 'gte'], given, resourceScalar),
    pairsOf(['in'], resourceScalar, givenList),
    pairsOf(['contains'], resourceList, given),
    present,
  ),
);

/** Policies that keep to equality, membership and the order of numbers, which every database has alike. */
export const portablePolicies: fc.Arbitrary<Policy> = policiesOf(
  fc.oneof(
    pairsOf(['eq', 'ne'], resourceScalar, given),
    pairsOf(['lt', 'lte', 'gt', 'gte'], attr('resource.n', 'resource.i'), fc.oneof(numbers, wholes)),
    pairsOf(['startsWith', 'endsWith'], attr('resource.t', 'resource.u'), texts),
    pairsOf(['in'], resourceScalar, givenList),
    pairsOf(['contains'], attr('resource.tags'), fc.oneof(known, texts)),
    resourceScalar.map((attribute) => ({ present: attribute })),
  ),
);

/** Everything about a request but the resource. */
export const askers: fc.Arbitrary<Omit<AccessRequest, 'resource'>> = fc.record({
  subject: fc.record({
    id: texts,
    roles: fc.array(texts, { maxLength: 3 }),
    attributes: fc.record(
      {
        a: fc.oneof(scalar, fc.constant(null)),
        c: scalar,
        list: fc.array(fc.oneof({ arbitrary: scalar, weight: 8 }, fc.constant(null as never)), { maxLength: 3 }),
      },
      { requiredKeys: [] },
    ),
  }),
  action: fc.constantFrom('read', 'a'),
  environment: fc.record({ time: fc.constant(0), hour: fc.constantFrom(0, 9, 10) }),
});
