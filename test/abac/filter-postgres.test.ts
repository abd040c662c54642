import { PGlite } from '@electric-sql/pglite';
import {
  attr,
  type Condition,
  contains,
  createPolicyEngine,
  type Filter,
  not,
  policy,
  rule,
  toPostgres,
  toPredicate,
} from 'doorward/abac';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
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
async function rowsOf(filters: readonly Filter[]): Promise<readonly string[]> {
  const values: unknown[] = [];
  const selects = filters.map((filter, index) => {
    const condition = toPostgres(filter, { columns, table: 'd', firstParameter: values.length + 1 });
    values.push(...condition.values);
    return `SELECT ${index} AS filter, row FROM documents d WHERE ${condition.text}`;
  });
  const { rows: found } = await db.query<{ filter: number; row: number }>(selects.join(' UNION ALL '), values);
  return found.map(({ filter, row }) => `${filter}:${row}`).sort();
}

const seed = Math.floor(Math.random() * 2 ** 31);
const rounds = Array.from({ length: FILLS }, (_, round) => seed + round);

describe('PostgreSQL and the predicate return the rows that are allowed one by one', () => {
  test.each(rounds)('500 random policies, seed %i', async (from) => {
    const resources = fc.sample(rows, { numRuns: 24, seed: from });
    await fill(resources);
    const cases = fc.sample(fc.tuple(rowPolicies, askers), { numRuns: QUERIES, seed: from });
    let [allowed, some] = [0, 0];
    for (let at = 0; at < QUERIES; at += AT_ONCE) {
      const batch = cases.slice(at, at + AT_ONCE);
      const filters = batch.map(([policy, asker]) =>
        createPolicyEngine(policy).filter({ ...asker, resource: { type: 'document' } }),
      );
      some += filters.filter(({ kind }) => kind === 'some').length;
      const expected = batch.flatMap(([policy, asker], filter) =>
        resources.flatMap((row, index) =>
          decidingRule(policy, { ...asker, resource: resourceOf(row) })?.effect === 'allow'
            ? [`${filter}:${index}`]
            : [],
        ),
      );
      const inMemory = filters.flatMap((filter, number) => {
        const predicate = toPredicate(filter);
        return resources.flatMap((row, index) => (predicate(resourceOf(row)) ? [`${number}:${index}`] : []));
      });
      allowed += expected.length;
      expect(inMemory).toEqual(expected);
      expect(await rowsOf(filters)).toEqual(expected.sort());
    }
    expect(some).toBeGreaterThan(QUERIES * 0.3);
    expect(allowed).toBeGreaterThan(QUERIES / 2);
  });
});

test('an array of arrays is a list of lists, whose members are no texts', async () => {
  await db.exec('DELETE FROM documents');
  await db.exec(`INSERT INTO documents (row, tags) VALUES (0, '{{a,b}}'), (1, '{a,b}'), (2, '{}')`);
  const found = async (when: Condition) => {
    const engine = createPolicyEngine(policy('p', [rule.allow('r', when)]));
    const subject = { id: 'ada', roles: [], attributes: {} };
    return rowsOf([
      engine.filter({ subject, action: 'read', resource: { type: 'document' }, environment: { time: 0 } }),
    ]);
  };
  const hasA = contains(attr('resource.tags'), 'a');
  expect(await found(hasA)).toEqual(['0:1']);
  expect(await found(not(hasA))).toEqual(['0:2']);
  expect(await found(not(contains(attr('resource.tags'), 'c')))).toEqual(['0:1', '0:2']);
});

test.each(['smallint', 'integer', 'bigint'])('a list of %s, which has operators of its own', async (type) => {
  await db.exec(`CREATE TABLE lists_of_${type} (row integer, levels ${type}[])`);
  await db.exec(`INSERT INTO lists_of_${type} VALUES (0, '{1,2}'), (1, '{3}'), (2, '{1,NULL}'), (3, '{}'), (4, NULL)`);
  const found = async (when: Condition) => {
    const filter = createPolicyEngine(policy('p', [rule.allow('r', when)])).filter({
      subject: { id: 'ada', roles: [], attributes: {} },
      action: 'read',
      resource: { type: 'document' },
      environment: { time: 0 },
    });
    const { text, values } = toPostgres(filter, { columns: { levels: { column: 'levels', type: 'integer[]' } } });
    const result = await db.query<{ row: number }>(`SELECT row FROM lists_of_${type} WHERE ${text} ORDER BY row`, [
      ...values,
    ]);
    return result.rows.map(({ row }) => row);
  };
  const levels = attr('resource.levels');
  expect(await found(contains(levels, 1))).toEqual([0, 2]);
  expect(await found(contains(levels, 2 ** 40))).toEqual([]);
  expect(await found(not(contains(levels, 1)))).toEqual([1, 3]);
  expect(await found(not(contains(levels, 1.5)))).toEqual([0, 1, 3]);
});
