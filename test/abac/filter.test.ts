import type { AccessRequest } from 'doorward';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createFiltering } from '../../src/abac/filter/create-filter.ts';
import type { ResourceQuery } from '../../src/abac/filter/filter.ts';
import { toPredicate } from '../../src/abac/filter/predicate.ts';
import { policies, requests } from './support/random.ts';
import { decidingRule } from './support/reference.ts';

const queryOf = (request: AccessRequest): ResourceQuery => request;

test('the predicate of a filter answers as one decision at a time, for clean and dirty resources', () => {
  let [allowed, some] = [0, 0];
  fc.assert(
    fc.property(policies, fc.array(requests, { minLength: 1, maxLength: 8 }), (policy, many) => {
      const filtering = createFiltering(policy, 'r');
      for (const one of many) {
        const filter = filtering.filter(queryOf(one));
        const predicate = toPredicate(filter);
        if (filter.kind === 'some') some++;
        for (const other of many) {
          const resource = { ...(other.resource as object), type: one.resource?.type } as AccessRequest['resource'];
          const expected = decidingRule(policy, { ...one, resource })?.effect === 'allow';
          if (expected) allowed++;
          expect(predicate(resource)).toBe(expected);
          if (expected) expect(filtering.mightAllow(queryOf(one))).toBe(true);
        }
      }
    }),
    { numRuns: 1_000 },
  );
  expect(allowed).toBeGreaterThan(1_000);
  expect(some).toBeGreaterThan(500);
});
