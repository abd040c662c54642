import { PGlite } from '@electric-sql/pglite';
import { createPolicyEngine, toDrizzle } from 'doorward/abac';
import * as drizzle from 'drizzle-orm';
import { alias, boolean, doublePrecision, integer, pgTable, real, text, uuid, varchar } from 'drizzle-orm/pg-core';
import { drizzle as connect } from 'drizzle-orm/pglite';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { decidingRule } from './support/reference.ts';
import { askers, type Row, resourceOf, rowPolicies, rows } from './support/rows.ts';

const documents = pgTable('documents', {
  row: integer('row').primaryKey(),
  id: text('id'),
  t: text('t'),
  u: text('u'),
  n: doublePrecision('n'),
  i: integer('i'),
  b: boolean('b'),
  tags: text('tags').array(),
  levels: doublePrecision('levels').array(),
});
const { row: _row, ...columns } = drizzle.getTableColumns(documents);

const client = new PGlite();
const db = connect(client);
beforeAll(() =>
  client.exec(`CREATE TABLE documents (
    row integer, id text, t text, u text, n float8, i integer, b boolean, tags text[], levels float8[])`),
);
afterAll(() => client.close());

const query = { resource: { type: 'document' } };

test('Drizzle returns the rows that are allowed one by one: 500 random policies', async () => {
  const seed = Math.floor(Math.random() * 2 ** 31);
  const resources = fc.sample(rows, { numRuns: 40, seed });
  for (const [index, { id, t, u, n, i, b, tags, levels }] of resources.entries()) {
    const values = [index, id, t, u, n, i, b, tags, levels];
    await client.query('INSERT INTO documents VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)', values);
  }
  let allowed = 0;
  for (const [policy, asker] of fc.sample(fc.tuple(rowPolicies, askers), { numRuns: 500, seed })) {
    const condition = toDrizzle(createPolicyEngine(policy).filter({ ...asker, ...query }), columns, drizzle);
    const found = await db.select({ row: documents.row }).from(documents).where(condition).orderBy(documents.row);
    const expected = resources.flatMap((row: Row, index) =>
      decidingRule(policy, { ...asker, resource: resourceOf(row) })?.effect === 'allow' ? [index] : [],
    );
    expect(
      found.map(({ row }) => row),
      `seed ${seed}, ${JSON.stringify(policy)}, ${JSON.stringify(asker)}`,
    ).toEqual(expected);
    allowed += found.length;
  }
  expect(allowed).toBeGreaterThan(500);
});

test('columns that PostgreSQL compares otherwise than JavaScript are refused', () => {
  const others = pgTable('others', { r: real('r'), u: uuid('u'), names: varchar('names').array() });
  const filter = createPolicyEngine({
    name: 'p',
    combining: 'first-match',
    rules: [{ id: 'r', effect: 'allow', when: { lt: [{ attr: 'resource.a' }, 'x'] } }],
  }).filter({ subject: { id: 'a', roles: [], attributes: {} }, action: 'read', environment: { time: 0 }, ...query });
  expect(() => toDrizzle(filter, { a: others.r }, drizzle)).toThrow('columns.a is no column of PostgreSQL');
  expect(() => toDrizzle(filter, { a: {} }, drizzle)).toThrow('columns.a is no column of PostgreSQL');
  expect(() => toDrizzle(filter, { a: others.names }, drizzle)).toThrow('columns.a must be a text[]');
  expect(() => toDrizzle(filter, {}, drizzle)).toThrow('columns.a is missing');
  expect(() => toDrizzle(filter, { a: others.u }, drizzle)).toThrow(
    expect.objectContaining({ code: 'AUTHZ_FILTER_INEXACT' }),
  );
});

test('the columns of an aliased table keep the alias', () => {
  const shared = alias(documents, 'shared');
  const filter = createPolicyEngine({
    name: 'p',
    combining: 'first-match',
    rules: [{ id: 'r', effect: 'allow', when: { eq: [{ attr: 'resource.t' }, { attr: 'subject.id' }] } }],
  }).filter({ subject: { id: 'a', roles: [], attributes: {} }, action: 'read', environment: { time: 0 }, ...query });
  const joined = db
    .select({ row: documents.row })
    .from(documents)
    .innerJoin(shared, drizzle.eq(shared.u, documents.id))
    .where(toDrizzle(filter, { t: shared.t }, drizzle));
  expect(joined.toSQL()).toMatchObject({
    sql: expect.stringMatching(/ where "shared"\."t" = \$1::text$/),
    params: ['a'],
  });
});
