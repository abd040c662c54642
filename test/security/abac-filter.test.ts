import type { AccessRequest } from 'doorward';
import {
  attr,
  contains,
  createPolicyEngine,
  eq,
  type Filter,
  isIn,
  lt,
  ne,
  not,
  owner,
  type Policy,
  policy,
  present,
  type ResourceQuery,
  rule,
  toMongo,
  toPostgres,
  toPredicate,
  toPrisma,
  toUcast,
} from 'doorward/abac';
import { afterEach, describe, expect, test } from 'vitest';

const query: ResourceQuery = {
  subject: { id: 'ada', roles: [], attributes: {} },
  action: 'read',
  resource: { type: 'post' },
  environment: { time: 0 },
};
const filterOf = (rules: Policy['rules'], given: Partial<AccessRequest['subject']> = {}): Filter =>
  createPolicyEngine(policy('posts', rules)).filter({ ...query, subject: { ...query.subject, ...given } });
const owned = filterOf([rule.allow('owner', owner())]);
const isA = eq(attr('resource.a'), 'x');

describe('a list is filtered as one decision at a time', () => {
  const engine = createPolicyEngine(policy('posts', [rule.allow('owner', owner())]));

  test('a list with properties holds no attributes, and is no resource', () => {
    const attributes = Object.assign([], { owner_id: 'ada' }) as never;
    expect(engine.decide({ ...query, resource: { type: 'post', attributes } }).allowed).toBe(false);
    expect(toPredicate(owned)({ attributes })).toBe(false);
    expect(toPredicate(owned)(Object.assign([], { attributes: { owner_id: 'ada' } }) as never)).toBe(false);
  });

  test.each([null, undefined, 'post', 5])('%s is no resource, even where all are allowed', (resource) => {
    const all = filterOf([{ id: 'all', effect: 'allow', when: 'always' }]);
    expect(all.kind).toBe('all');
    expect(toPredicate(all)(resource as never)).toBe(false);
  });

  test('a resource that is an object of a class is read by its own properties, and no inherited getter is asked', () => {
    let asked = 0;
    class Post {
      readonly owner_id?: string;
      constructor(own?: string) {
        if (own !== undefined) this.owner_id = own;
      }
      get id() {
        asked++;
        return 'ada';
      }
    }
    class Inheriting extends Post {
      get group() {
        asked++;
        return 'ada';
      }
    }
    const inherited = filterOf([rule.allow('group', eq(attr('resource.group'), attr('subject.id')))]);
    expect(toPredicate(owned)({ attributes: new Post('ada') as never })).toBe(true);
    expect(toPredicate(owned)({ attributes: new Post() as never })).toBe(false);
    expect(toPredicate(inherited)({ attributes: new Inheriting() as never })).toBe(false);
    expect(toPredicate(filterOf([rule.allow('id', eq(attr('resource.id'), 'ada'))]))(new Post() as never)).toBe(false);
    expect(asked).toBe(0);
  });

  test('own values count wherever they stand: without a prototype, hidden from loops, computed', () => {
    const bare = Object.assign(Object.create(null), { owner_id: 'ada' });
    const hidden = Object.defineProperty(Object.create({}), 'owner_id', { value: 'ada' });
    const computed = Object.create(
      {},
      {
        owner: { value: 'ada' },
        owner_id: {
          get() {
            return this.owner;
          },
        },
      },
    );
    for (const attributes of [bare, hidden, computed]) {
      expect(engine.decide({ ...query, resource: { type: 'post', attributes } }).allowed).toBe(true);
      expect(toPredicate(owned)({ attributes })).toBe(true);
    }
  });
});

describe('what everything inherits', () => {
  const pollute = (name: string, value: unknown) =>
    Object.defineProperty(Object.prototype, name, { value, configurable: true, writable: true });
  afterEach(() => {
    for (const name of ['owner_id', 'id', 'type', 'attributes', 'a']) Reflect.deleteProperty(Object.prototype, name);
  });

  test('is no value of a resource', () => {
    const isOwned = toPredicate(owned);
    const isX = toPredicate(filterOf([rule.allow('x', eq(attr('resource.id'), 'ada'))]));
    const isNot = toPredicate(filterOf([rule.allow('not', not(isA))]));
    const isAbsent = toPredicate(filterOf([rule.allow('absent', not(present(attr('resource.a'))))]));
    expect(isAbsent({ attributes: {} })).toBe(true);
    pollute('owner_id', 'ada');
    expect(isOwned({ attributes: {} })).toBe(false);
    pollute('a', 'y');
    expect(isNot({ attributes: {} })).toBe(false);
    expect(isAbsent({ attributes: {} })).toBe(true);
    pollute('id', 'ada');
    expect(isX({ attributes: {} })).toBe(false);
    pollute('attributes', { owner_id: 'ada' });
    expect(isOwned({} as never)).toBe(false);
    pollute('type', 'invoice');
    expect(isOwned({ attributes: { owner_id: 'ada' } })).toBe(true);
  });
});

test('whoever changes a filter changes no other one', () => {
  const engine = createPolicyEngine(policy('posts', [rule.allow('a', isA)]));
  const changed = JSON.parse(JSON.stringify(engine.filter(query))) as Filter;
  const spoil = (holder: unknown): void => {
    if (typeof holder !== 'object' || holder === null) return;
    for (const [name, value] of Object.entries(holder)) {
      if (typeof value === 'object') spoil(value);
      else Reflect.set(holder, name, typeof value === 'boolean' ? !value : 'spoiled');
    }
  };
  spoil(engine.filter(query));
  expect(engine.filter(query)).toEqual(changed);
});

describe('many rules', () => {
  const alternating = (count: number) =>
    Array.from({ length: count }, (_, index) => {
      const when = eq(attr('resource.a'), `x${index}`);
      return index % 2 === 0 ? rule.allow(`r${index}`, when) : rule.deny(`r${index}`, when);
    });
  const depthOf = (value: unknown): number =>
    typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0;

  test('that allow and deny in turn nest no deeper than MongoDB takes, and overflow no stack', () => {
    const filter = filterOf(alternating(10_000));
    const isAllowed = toPredicate(filter);
    expect([0, 1, 9_998, 9_999].map((index) => isAllowed({ attributes: { a: `x${index}` } }))).toEqual([
      true,
      false,
      true,
      false,
    ]);
    expect(depthOf(toMongo(filter))).toBeLessThan(100);
    expect(toPrisma(filter, { fields: { a: 'a' } })).toBeDefined();
    expect(toUcast(filter, { fields: { a: 'a' } })).toBeDefined();
  }, 120_000);

  test('are refused where PostgreSQL has no numbers for their parameters', () => {
    const one = filterOf([rule.allow('a', isA)]);
    expect(toPostgres(one, { columns: { a: 'a' }, firstParameter: 65_535 }).text).toBe('"a" = $65535::text');
    const two = filterOf([rule.allow('a', isA), rule.allow('b', eq(attr('resource.b'), 'x'))]);
    expect(() => toPostgres(two, { columns: { a: 'a', b: 'b' }, firstParameter: 65_535 })).toThrow(
      expect.objectContaining({ code: 'AUTHZ_FILTER_INEXACT', field: 'values' }),
    );
  });

  test('and so is a list that Prisma would split', () => {
    const groups = Array.from({ length: 40_000 }, (_, index) => `group-${index}`);
    const filter = filterOf([rule.deny('group', { in: [attr('resource.a'), attr('subject.groups')] })], {
      attributes: { groups },
    });
    expect(filter.kind).toBe('none');
    const allowed = filterOf([rule.allow('group', not({ in: [attr('resource.a'), attr('subject.groups')] }))], {
      attributes: { groups },
    });
    expect(() => toPrisma(allowed, { fields: { a: 'a' } })).toThrow(
      expect.objectContaining({ code: 'AUTHZ_FILTER_INEXACT', field: 'a' }),
    );
    expect(toPostgres(allowed, { columns: { a: 'a' } }).values[0]).toEqual(groups);
  });
});

test.each([
  ['a constant', rule.deny('d', eq(attr('resource.hidden'), true))],
  ['another constant', rule.deny('d', not(ne(attr('resource.hidden'), true)))],
  ['constants', rule.deny('d', isIn(attr('resource.hidden'), [1, 2]))],
  ['a constant that it comes before', rule.deny('d', lt(attr('resource.hidden'), 5))],
  ['a constant in a list', rule.deny('d', contains(attr('resource.hidden'), 'a'))],
])('a column whose type nobody named passes for no text beside %s', (_, hides) => {
  const filter = createPolicyEngine(policy('p', [hides, rule.allow('a', 'always')])).filter(query);
  for (const write of [
    () => toPostgres(filter, { columns: { hidden: 'hidden' } }),
    () => toPrisma(filter, { fields: { hidden: 'hidden' } }),
    () => toUcast(filter, { fields: { hidden: 'hidden' } }),
  ]) {
    expect(write).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.stringContaining('hidden') }),
    );
  }
  expect(() => toPostgres(filter, { columns: { hidden: { column: 'hidden', type: 'text' } } })).not.toThrow();
});

describe('a name in Object.prototype', () => {
  const hidden = filterOf([rule.deny('hidden', eq(attr('resource.hidden'), true)), rule.allow('owner', owner())]);
  const types = {
    owner_id: { column: 'owner_id', type: 'text' },
    hidden: { column: 'hidden', type: 'boolean' },
  } as const;
  const backends: readonly [string, () => unknown][] = [
    ['PostgreSQL', () => toPostgres(hidden, { columns: types })],
    ['Prisma', () => toPrisma(hidden, { fields: types })],
    ['UCAST', () => toUcast(hidden, { fields: types })],
    ['MongoDB', () => toMongo(hidden)],
  ];
  const names = ['value', 'values', 'column', 'criteria', 'attr', 'assumedAt', 'kind', 'formulas', 'type', 'outcome'];

  test.each(backends)('changes no filter for %s', (_, make) => {
    const expected = JSON.stringify(make());
    for (const name of names) {
      for (const value of ['ada', true, [], undefined]) {
        Object.defineProperty(Object.prototype, name, { value, configurable: true, writable: true });
        let found: string | undefined;
        try {
          found = JSON.stringify(make());
        } catch {
        } finally {
          Reflect.deleteProperty(Object.prototype, name);
        }
        expect([name, found ?? expected]).toEqual([name, expected]);
      }
    }
  });
});
