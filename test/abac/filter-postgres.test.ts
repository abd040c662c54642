import { PGlite } from '@electric-sql/pglite';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createFilter } from '../../src/abac/filter/create-filter.ts';
import { toPostgres } from '../../src/abac/filter/postgres.ts';
import { toPredicate } from '../../src/abac/filter/predicate.ts';
import { decidingRule } from './support/reference.ts';
import { askers, columns, type Row, resourceOf, rowPolicies, rows } from './support/rows.ts';

const FILLS = 20;
const QUERIES = 500;
const AT_ONCE = 50;

const db = new PGlite();
beforeAll(() =>
  db.exec(`CREATE TABLE documents (
    row integer, id text, t text, u text, n float8, i integer, b boolean, tags text[], levels float8[])`),
);
afterAll(() => db.close());

async function fill(all: readonly Row[]): Promise<void> {
  await db.exec('DELETE FROM documents');
  for (const [index, { id, t, u, n, i, b, tags, levels }] of all.entries()) {
    await db.query('INSERT INTO documents VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)', [
      index,
      id,
      t,
      u,
      n,
      i,
      b,
      tags,
      levels,
    ]);
  }
}

/** Many filters in one statement, which also shows that their parameters stand side by side. */
async function rowsOf(filters: readonly ReturnType<ReturnType<typeof createFilter>>[]): Promise<readonly string[]> {
  const values: unknown[] = [];
  const selects = filters.map((filter, index) => {
    const condition = toPostgres(filter, { columns, table: 'd', firstParameter: values.length + 1 });
    values.push(...condition.values);
    return `SELECT ${index} AS filter, row FROM documents d WHERE ${condition.text}`;
  });
  const { rows: found } = await db.query<{ filter: number; row: number }>(selects.join(' UNION ALL '), values);
  return found.map(({ filter, row }) => `${filter}:${row}`).sort();
}

test('PostgreSQL and the predicate return the rows that are allowed one by one: 10,000 random policies', async () => {
  const seed = Math.floor(Math.random() * 2 ** 31);
  let [allowed, some] = [0, 0];
  for (let round = 0; round < FILLS; round++) {
    const resources = fc.sample(rows, { numRuns: 24, seed: seed + round });
    await fill(resources);
    const cases = fc.sample(fc.tuple(rowPolicies, askers), { numRuns: QUERIES, seed: seed + round });
    for (let from = 0; from < QUERIES; from += AT_ONCE) {
      const batch = cases.slice(from, from + AT_ONCE);
      const filters = batch.map(([policy, asker]) =>
        createFilter(policy)({ ...asker, resource: { type: 'document' } }),
      );
      some += filters.filter(({ kind }) => kind === 'some').length;
      const expected = batch.flatMap(([policy, asker], filter) =>
        resources.flatMap((row, index) =>
          decidingRule(policy, { ...asker, resource: resourceOf(row) })?.effect === 'allow'
            ? [`${filter}:${index}`]
            : [],
        ),
      );
      const inMemory = filters.flatMap((filter, at) => {
        const predicate = toPredicate(filter);
        return resources.flatMap((row, index) => (predicate(resourceOf(row)) ? [`${at}:${index}`] : []));
      });
      allowed += expected.length;
      expect(inMemory, `seed ${seed}, round ${round}, from ${from}`).toEqual(expected);
      expect(await rowsOf(filters), `seed ${seed}, round ${round}, from ${from}`).toEqual(expected.sort());
    }
  }
  expect(some).toBeGreaterThan(FILLS * QUERIES * 0.4);
  expect(allowed).toBeGreaterThan(FILLS * QUERIES);
});
