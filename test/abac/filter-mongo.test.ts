import type { AccessRequest } from 'doorward';
import { createPolicyEngine, type Policy, toMongo } from 'doorward/abac';
import fc from 'fast-check';
import { Query } from 'mingo';
import { expect, test } from 'vitest';
import { decidingRule } from './support/reference.ts';
import { askers, dirtyRows, plainPolicies, resourceOf, rowPolicies, rows } from './support/rows.ts';

/** mingo orders texts by UTF-16 code unit, and MongoDB by code point; without this character they agree. */
function withoutHighTexts<T>(value: T): T {
  if (typeof value === 'string') return value.replaceAll('\uff5e', 'z') as T;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(withoutHighTexts) as T;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withoutHighTexts(each)])) as T;
}

const documentOf = ({ id, attributes }: AccessRequest['resource']): Record<string, unknown> => ({
  ...(typeof attributes === 'object' && !Array.isArray(attributes) && attributes),
  ...(id !== undefined && { id }),
});

/** Compares what MongoDB's semantics find with one decision at a time; tells how many policies could be said. */
function compare(
  policy: Policy,
  asker: Omit<AccessRequest, 'resource'>,
  type: string,
  resources: readonly AccessRequest['resource'][],
): { readonly said: boolean; readonly allowed: number } {
  const filter = createPolicyEngine(policy).filter({ ...asker, resource: { type } });
  let query: Query;
  try {
    query = new Query(toMongo(filter) as never);
  } catch (error) {
    expect(error).toMatchObject({ code: 'AUTHZ_FILTER_INEXACT' });
    return { said: false, allowed: 0 };
  }
  const expected = resources.map((resource) => decidingRule(policy, { ...asker, resource })?.effect === 'allow');
  expect(
    resources.map((resource) => query.test(documentOf(resource))),
    JSON.stringify(toMongo(filter)),
  ).toEqual(expected);
  return { said: filter.kind === 'some', allowed: expected.filter(Boolean).length };
}

test('MongoDB returns the documents that are allowed one by one: random policies and rows', () => {
  let [said, allowed] = [0, 0];
  fc.assert(
    fc.property(
      fc.oneof(plainPolicies, plainPolicies, rowPolicies),
      askers,
      fc.array(rows, { minLength: 1, maxLength: 12 }),
      (policy, asker, all) => {
        const resources = all.map((row) => resourceOf(withoutHighTexts(row)));
        const result = compare(withoutHighTexts(policy), withoutHighTexts(asker), 'document', resources);
        said += Number(result.said);
        allowed += result.allowed;
      },
    ),
    { numRuns: 1_000 },
  );
  expect(said).toBeGreaterThan(300);
  expect(allowed).toBeGreaterThan(500);
});

test('arrays, objects and nulls where a scalar belongs, and missing fields, are no values to MongoDB either', () => {
  let [said, allowed] = [0, 0];
  fc.assert(
    fc.property(plainPolicies, askers, fc.array(dirtyRows, { minLength: 1, maxLength: 12 }), (policy, asker, all) => {
      const resources = all.map(resourceOf);
      const result = compare(withoutHighTexts(policy), withoutHighTexts(asker), 'document', resources);
      said += Number(result.said);
      allowed += result.allowed;
    }),
    { numRuns: 1_000 },
  );
  expect(said).toBeGreaterThan(300);
  expect(allowed).toBeGreaterThan(500);
});
