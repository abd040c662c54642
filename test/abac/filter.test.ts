import type { AccessRequest } from 'doorward';
import {
  and,
  attr,
  contains,
  createPolicyEngine,
  eq,
  type Filter,
  gte,
  hourBetween,
  lt,
  not,
  or,
  owner,
  type PolicyRule,
  policy,
  predicate,
  present,
  type ResourceQuery,
  rule,
  startsWith,
  toMongo,
  toPostgres,
  toPredicate,
  toPrisma,
  toUcast,
} from 'doorward/abac';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { policies, requests } from './support/random.ts';
import { decidingRule } from './support/reference.ts';
import { askers, dirtyRows, resourceOf, rowPolicies } from './support/rows.ts';

const engineOf = (...rules: readonly PolicyRule[]) => createPolicyEngine(policy('posts', rules), { predicates });
const predicates = { isOnCall: () => true };
const queryOf = (given: Partial<AccessRequest['subject']> = {}, time = 0): ResourceQuery => ({
  subject: { id: 'ada', roles: ['editor'], attributes: {}, ...given },
  action: 'read',
  resource: { type: 'post' },
  environment: { time },
});
const all = { id: 'id', owner_id: 'owner_id', a: 'a', b: 'b', tags: { column: 'tags', type: 'text[]' } } as const;

test('the predicate of a filter answers as one decision at a time, for clean and dirty requests', () => {
  let [allowed, some] = [0, 0];
  fc.assert(
    fc.property(policies, fc.array(requests, { minLength: 1, maxLength: 8 }), (random, many) => {
      const engine = createPolicyEngine(random);
      for (const one of many) {
        const filter = engine.filter(one);
        const isAllowed = toPredicate(filter);
        const mightAllow = engine.mightAllow(one);
        if (filter.kind === 'some') some++;
        for (const other of many) {
          const resource = { ...(other.resource as object), type: one.resource?.type } as AccessRequest['resource'];
          const expected = decidingRule(random, { ...one, resource })?.effect === 'allow';
          if (expected) allowed++;
          expect(isAllowed(resource)).toBe(expected);
          if (expected) expect(mightAllow).toBe(true);
        }
      }
    }),
    { numRuns: 1_000 },
  );
  expect(allowed).toBeGreaterThan(50);
  expect(some).toBeGreaterThan(20);
}, 120_000);

test('so it does for resources that hold anything at all', () => {
  let [allowed, some] = [0, 0];
  fc.assert(
    fc.property(rowPolicies, askers, fc.array(dirtyRows, { minLength: 1, maxLength: 12 }), (random, asker, rows) => {
      const filter = createPolicyEngine(random).filter({ ...asker, resource: { type: 'document' } });
      if (filter.kind === 'some') some++;
      const resources = rows.map(resourceOf);
      const expected = resources.map((resource) => decidingRule(random, { ...asker, resource })?.effect === 'allow');
      expect(resources.map(toPredicate(filter))).toEqual(expected);
      allowed += expected.filter(Boolean).length;
    }),
    { numRuns: 1_000 },
  );
  expect(allowed).toBeGreaterThan(300);
  expect(some).toBeGreaterThan(300);
}, 120_000);

describe('a filter', () => {
  test('is all or none where nothing hangs on the resource', () => {
    const engine = engineOf(rule.allow('editors', contains(attr('subject.roles'), 'editor')));
    const { revision } = engine;
    expect(engine.filter(queryOf())).toEqual({ kind: 'all', resourceType: 'post', revision });
    expect(engine.filter(queryOf({ roles: [] }))).toEqual({ kind: 'none', resourceType: 'post', revision });
    expect(engine.mightAllow(queryOf())).toBe(true);
    expect(engine.mightAllow(queryOf({ roles: [] }))).toBe(false);
  });

  test('reads nothing of a resource that the query brings along', () => {
    const query = { ...queryOf(), resource: { type: 'post', id: 'x', attributes: { owner_id: 'ada' } } };
    expect(engineOf(rule.allow('owner', owner())).filter(query).kind).toBe('some');
  });

  test('says no for a resource of another type', () => {
    const isAllowed = toPredicate(engineOf(rule.allow('owner', owner())).filter(queryOf()));
    const attributes = { owner_id: 'ada' };
    expect(isAllowed({ attributes })).toBe(true);
    expect(isAllowed({ type: 'post', attributes })).toBe(true);
    expect(isAllowed({ type: 'invoice', attributes })).toBe(false);
  });

  test('denies what a deny rule cannot know, and never by a missing owner', () => {
    const engine = engineOf(rule.deny('secret', eq(attr('resource.secret'), true)), rule.allow('owner', owner()));
    const isAllowed = toPredicate(engine.filter(queryOf()));
    expect(isAllowed({ attributes: { owner_id: 'ada', secret: false } })).toBe(true);
    expect(isAllowed({ attributes: { owner_id: 'ada' } })).toBe(false);
    expect(engineOf(rule.allow('owner', owner())).filter(queryOf({ id: '' })).kind).toBe('none');
  });

  test('reads own properties only', () => {
    const isAllowed = toPredicate(engineOf(rule.allow('owner', owner())).filter(queryOf()));
    expect(isAllowed({ attributes: Object.create({ owner_id: 'ada' }) })).toBe(false);
    expect(isAllowed({ attributes: JSON.parse('{"__proto__":{"owner_id":"ada"}}') })).toBe(false);
  });

  test('is made for ten thousand rules that allow and deny in turn', () => {
    const many = Array.from({ length: 10_000 }, (_, index) => {
      const when = eq(attr('subject.id'), `person-${index}`);
      return index % 2 === 0 ? rule.allow(`r${index}`, when) : rule.deny(`r${index}`, when);
    });
    expect(engineOf(...many, rule.allow('owner', owner())).filter(queryOf()).kind).toBe('some');
  });

  test('does not change with the query after it was made', () => {
    const groups = ['a'];
    const engine = engineOf(rule.allow('group', { in: [attr('resource.group'), attr('subject.groups')] }));
    const isAllowed = toPredicate(engine.filter(queryOf({ attributes: { groups } })));
    groups.push('b');
    expect(isAllowed({ attributes: { group: 'b' } })).toBe(false);
  });
});

describe('a predicate in the policy', () => {
  const onCall = rule.allow('on-call', and(predicate('isOnCall'), eq(attr('resource.a'), 'x')));

  test('refuses a filter that hangs on it, by the name of its rule', () => {
    expect(() => engineOf(onCall).filter(queryOf())).toThrow(
      expect.objectContaining({
        code: 'CONFIG_INVALID',
        field: 'rule "on-call"',
        message: expect.stringContaining('"isOnCall"'),
      }),
    );
  });

  test('refuses a deny rule too, which would else be left out', () => {
    const engine = engineOf(rule.deny('on-call', not(predicate('isOnCall'))), rule.allow('owner', owner()));
    expect(() => engine.filter(queryOf())).toThrow('rule "on-call"');
  });

  test('is no matter where another condition settles the answer, and may well allow', () => {
    const editors = rule.allow('editors', or(predicate('isOnCall'), contains(attr('subject.roles'), 'editor')));
    expect(engineOf(editors).filter(queryOf()).kind).toBe('all');
    const viewers = and(predicate('isOnCall'), contains(attr('subject.roles'), 'viewer'));
    expect(engineOf(rule.allow('viewers', viewers)).filter(queryOf()).kind).toBe('none');
    expect(engineOf(onCall).mightAllow(queryOf())).toBe(true);
  });
});

describe('validUntil of a filter', () => {
  const noon = Date.UTC(2026, 0, 1, 12);
  const officeHours = gte({ attr: 'environment.hour', timeZone: 'UTC' }, 9);

  test('is the next moment at which the clock could change it', () => {
    const { validUntil } = engineOf(rule.allow('office', and(owner(), officeHours))).filter(queryOf({}, noon));
    expect(validUntil).toBe(noon + 15 * 60_000);
    expect(engineOf(rule.allow('owner', owner())).filter(queryOf({}, noon))).not.toHaveProperty('validUntil');
  });

  test('leaves out a clock that has no say', () => {
    const admins = rule.allow('admins', and(contains(attr('subject.roles'), 'admin'), officeHours));
    expect(engineOf(admins).filter(queryOf({}, noon))).not.toHaveProperty('validUntil');
  });

  test('is no time at all where the time itself is compared with the resource', () => {
    const published = rule.allow('published', lt(attr('resource.published_at'), attr('environment.time')));
    expect(engineOf(published).filter(queryOf({}, noon)).validUntil).toBe(0);
    const hour = engineOf(rule.allow('hours', hourBetween(9, 18))).filter({
      ...queryOf(),
      environment: { hour: 10 } as never,
    });
    expect(hour.validUntil).toBe(0);
  });
});

describe('hostile values', () => {
  const hostile = [`' OR TRUE --`, '"', '$1', '%', '_', '$where', '__proto__', '\\', '{"$ne":1}', '.*'];
  const sameOwner = engineOf(rule.allow('owner', owner()));

  test.each(hostile)('%s stays a value', (id) => {
    const filter = sameOwner.filter(queryOf({ id }));
    const sql = toPostgres(filter, { columns: all });
    expect(sql).toEqual({ text: '"owner_id" = $1::text', values: [id] });
    expect(JSON.stringify(toMongo(filter))).toContain(JSON.stringify([id]));
    expect(toPrisma(filter, { fields: all })).toEqual({ owner_id: { equals: id } });
    expect(toUcast(filter, { fields: all })).toMatchObject({ field: 'owner_id', operator: 'eq', value: id });
  });

  test('an object in the place of an id is unknown, and so nobody owns anything', () => {
    for (const id of [{ $ne: null }, ['ada'], null, Object('ada'), Number.NaN])
      expect(sameOwner.filter(queryOf({ id: id as never })).kind).toBe('none');
  });

  test.each(['\0', 'a\ud800'])('a text that no database can hold equals none of its texts: %j', (id) => {
    const filter = sameOwner.filter(queryOf({ id }));
    expect(toPostgres(filter, { columns: all })).toEqual({ text: 'FALSE', values: [] });
    expect(toPrisma(filter, { fields: all })).toEqual({ OR: [] });
  });

  test('the name of a column is quoted, and refused where PostgreSQL would cut it off', () => {
    const filter = sameOwner.filter(queryOf());
    const columns = { owner_id: 'o"; DROP TABLE posts; --' };
    expect(toPostgres(filter, { columns }).text).toBe('"o""; DROP TABLE posts; --" = $1::text');
    expect(toPostgres(filter, { columns, table: 'p"', firstParameter: 3 }).text).toBe(
      '"p"""."o""; DROP TABLE posts; --" = $3::text',
    );
    for (const owner_id of ['', 'x'.repeat(64), 'a\0b'])
      expect(() => toPostgres(filter, { columns: { owner_id } })).toThrow(
        expect.objectContaining({ code: 'CONFIG_INVALID' }),
      );
  });

  test.each(['$where', 'a.b', '', 'a\0'])('%j is no field of a document', (owner_id) => {
    expect(() => toMongo(sameOwner.filter(queryOf()), { fields: { owner_id } })).toThrow('fields.owner_id');
  });

  test.each(['AND', 'NOT', 'OR', 'a.b', '__proto__'])('%s is no field of a Prisma schema', (owner_id) => {
    expect(() => toPrisma(sameOwner.filter(queryOf()), { fields: { owner_id } })).toThrow('fields');
  });
});

describe('what a backend cannot say exactly is an error', () => {
  const filterOf = (when: PolicyRule['when'], id = 'ada'): Filter =>
    engineOf({ id: 'r', effect: 'allow', when }).filter(queryOf({ id }));
  const inexact = expect.objectContaining({ code: 'AUTHZ_FILTER_INEXACT' });
  const a = attr('resource.a');

  test.each([
    ['the order of texts', lt(a, 'x')],
    ['one field against another', eq(a, attr('resource.b'))],
    ['a wildcard', startsWith(a, 'a%')],
    ['a value that begins with a field', startsWith('abc', a)],
  ])('Prisma: %s', (_, when) => {
    expect(() => toPrisma(filterOf(when), { fields: all })).toThrow(inexact);
  });

  test.each([
    ['the order of texts', lt(a, 'x')],
    ['a list', contains(attr('resource.tags'), 'x')],
    ['whether there is a list', present(attr('resource.tags'))],
    ['a value that begins with a field', startsWith('abc', a)],
  ])('UCAST: %s', (_, when) => {
    expect(() => toUcast(filterOf(when), { fields: all })).toThrow(inexact);
  });

  test.each([
    ['one field against another', eq(a, attr('resource.b'))],
    ['a field in a list of the document', contains(attr('resource.tags'), a)],
    ['a value that begins with a field', startsWith('abc', a)],
  ])('MongoDB: %s', (_, when) => {
    expect(() => toMongo(filterOf(when))).toThrow(inexact);
  });

  test('MongoDB and PostgreSQL: a text that cannot be stored, where it matters what it is made of', () => {
    const before = lt(a, attr('subject.id'));
    expect(() => toMongo(filterOf(before, 'a\ud800'))).toThrow(inexact);
    expect(() => toPostgres(filterOf(before, 'a\ud800'), { columns: all })).toThrow(inexact);
    expect(() => toPostgres(filterOf(before, 'a\0'), { columns: all })).toThrow(inexact);
  });

  test('PostgreSQL: the order of UUIDs, and a UUID against a text', () => {
    const columns = { a: { column: 'a', type: 'uuid' }, b: 'b' } as const;
    expect(() => toPostgres(filterOf(lt(a, 'x')), { columns })).toThrow(inexact);
    expect(() => toPostgres(filterOf(eq(a, attr('resource.b'))), { columns })).toThrow(inexact);
    const id = '0f8fad5b-d9cb-469f-a165-70867728950e';
    expect(toPostgres(filterOf(eq(a, id)), { columns }).text).toBe('"a" = $1::uuid');
    expect(toPostgres(filterOf(eq(a, id.toUpperCase())), { columns }).text).toBe('FALSE');
  });

  test('an attribute without a column, an unknown type and an unknown option are refused', () => {
    const filter = filterOf(eq(a, 'x'));
    const invalid = expect.objectContaining({ code: 'CONFIG_INVALID' });
    expect(() => toPostgres(filter, { columns: {} })).toThrow('columns.a is missing');
    expect(() => toPostgres(filter, { columns: Object.create({ a: 'a' }) })).toThrow(invalid);
    expect(() => toPostgres(filter, { columns: { a: { column: 'a', type: 'json' as 'text' } } })).toThrow(invalid);
    expect(() => toPostgres(filter, { columns: { a: null as never } })).toThrow(invalid);
    expect(() => toPostgres(filter, { columns: { a: { column: 'a' } as never } })).toThrow(invalid);
    expect(() => toPostgres(filter, { columns: all, firstParameter: 0 })).toThrow(invalid);
    expect(() => toPostgres(filter, { columns: all, colums: {} } as never)).toThrow(invalid);
    expect(() => toMongo(filter, { field: {} } as never)).toThrow(invalid);
  });
});
