import { createPolicyEngine, type PrismaWhere, toPrisma } from 'doorward/abac';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decidingRule } from './support/reference.ts';
import { askers, columns, portablePolicies, type Row, resourceOf, rowPolicies, rows } from './support/rows.ts';

/** Prisma 7 over PostgreSQL, as far as filters use it: SQL's three values, and its reading of NULL lists. */
type Outcome = boolean | null;
type Json = Readonly<Record<string, unknown>>;

const not = (outcome: Outcome): Outcome => (outcome === null ? null : !outcome);
const or = (outcomes: readonly Outcome[]): Outcome =>
  outcomes.includes(true) ? true : outcomes.includes(null) ? null : false;
const and = (outcomes: readonly Outcome[]): Outcome => not(or(outcomes.map(not)));
/** PostgreSQL puts NaN above every number. */
const order = (a: number, b: number): number => (Number.isNaN(a) ? (Number.isNaN(b) ? 0 : 1) : a - b);

function operator(name: string, value: unknown, operand: unknown): Outcome {
  if (operand === null) return name === 'equals' ? value === null : value !== null;
  if (value === null) return null;
  const [number, limit] = [value as number, operand as number];
  switch (name) {
    case 'equals':
      return value === operand;
    case 'not':
      return value !== operand;
    case 'lt':
      return order(number, limit) < 0;
    case 'lte':
      return order(number, limit) <= 0;
    case 'gt':
      return order(number, limit) > 0;
    case 'gte':
      return order(number, limit) >= 0;
    case 'in':
      return (operand as unknown[]).includes(value);
    case 'notIn':
      return !(operand as unknown[]).includes(value);
    case 'startsWith':
      return String(value).startsWith(String(operand));
    case 'endsWith':
      return String(value).endsWith(String(operand));
    case 'has':
      return (value as unknown[]).includes(operand);
    default:
      throw new Error(`${name} is no operator of Prisma`);
  }
}

function matches(where: PrismaWhere, row: Row): Outcome {
  const outcomes = Object.entries(where).map(([key, value]): Outcome => {
    if (key === 'NOT') return not(matches(value as Json, row));
    if (key !== 'AND' && key !== 'OR')
      return and(
        Object.entries(value as Json).map(([name, operand]) => operator(name, row[key as keyof Row], operand)),
      );
    const parts = (value as Json[]).filter((part) => Object.keys(part).length > 0);
    // Prisma drops an empty AND, and everything that holds nothing else, from what surrounds it.
    if (JSON.stringify(value).includes('{"AND":[]}')) throw new Error('Prisma would leave this part out');
    const inner = parts.map((part) => matches(part, row));
    return key === 'AND' ? and(inner) : or(inner);
  });
  return and(outcomes);
}

/** Prisma's lists hold no null, and one that is NULL reaches JavaScript as an empty one. */
const prismaRows = rows.map((row) => ({
  ...row,
  tags: (row.tags as unknown[] | null)?.filter((each) => each !== null) ?? null,
  levels: (row.levels as unknown[] | null)?.filter((each) => Number.isFinite(each)) ?? null,
}));
const loaded = (row: Row): Row => ({ ...row, tags: row.tags ?? [], levels: row.levels ?? [] });

test('a where of Prisma gives the rows that are allowed one by one: random policies', () => {
  let [said, allowed] = [0, 0];
  fc.assert(
    fc.property(
      fc.oneof(portablePolicies, rowPolicies),
      askers,
      fc.array(prismaRows, { minLength: 1, maxLength: 12 }),
      (policy, asker, all) => {
        const filter = createPolicyEngine(policy).filter({ ...asker, resource: { type: 'document' } });
        let where: PrismaWhere;
        try {
          where = toPrisma(filter, { fields: columns });
        } catch (error) {
          expect(error).toMatchObject({ code: 'AUTHZ_FILTER_INEXACT' });
          return;
        }
        const expected = all.map(
          (row) => decidingRule(policy, { ...asker, resource: resourceOf(loaded(row)) })?.effect === 'allow',
        );
        expect(all.map((row) => matches(where, row) === true)).toEqual(expected);
        said += Number(filter.kind === 'some');
        allowed += expected.filter(Boolean).length;
      },
    ),
    { numRuns: 1_500 },
  );
  expect(said).toBeGreaterThan(300);
  expect(allowed).toBeGreaterThan(500);
});
