import type { AccessRequest } from 'doorward';
import { type AttributePath, type Policy, parsePolicy } from 'doorward/abac';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { pathsLeft } from '../../src/abac/filter/paths-left.ts';
import { conditions, policies, requests } from './support/random.ts';
import { decidingRule } from './support/reference.ts';
import { askers, resourceOf, rowPolicies, rows } from './support/rows.ts';

const PATHS: readonly AttributePath[] = [
  ...(['subject.id', 'subject.roles', 'subject.a', 'subject.b', 'subject.c', 'subject.list'] as const),
  ...(['resource.id', 'resource.a', 'resource.b', 'resource.t', 'resource.u', 'resource.n', 'resource.i'] as const),
  ...(['resource.tags', 'environment.hour', 'environment.time', 'environment.ip', 'environment.a'] as const),
];
const FIELDS = new Set(['subject.id', 'subject.roles', 'resource.id', 'resource.type', 'action']);
const isField = (path: string) => FIELDS.has(path) || (path.startsWith('environment.') && path !== 'environment.a');

type Json = Record<string, unknown>;
const objectOf = (value: unknown): Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};

const attributesIn = ({ attributes }: Json): Json => objectOf(attributes);

/** The request with the values of another one at some paths. */
function filledIn(request: AccessRequest, open: Iterable<string>, other: AccessRequest): AccessRequest {
  let filled = request as unknown as Json;
  for (const path of open) {
    const [part = '', name = ''] = path.split('.');
    const [to, from] = [objectOf(filled[part]), objectOf((other as unknown as Json)[part])];
    const set = (holder: Json, source: Json): Json => {
      const { [name]: _, ...rest } = holder;
      return Object.hasOwn(source, name) ? { ...rest, [name]: source[name] } : rest;
    };
    const changed = isField(path) ? set(to, from) : { ...to, attributes: set(attributesIn(to), attributesIn(from)) };
    filled = { ...filled, [part]: changed };
  }
  return filled as unknown as AccessRequest;
}

const clean = fc.tuple(askers, rows).map(([asker, row]) => ({ ...asker, resource: resourceOf(row) }));
const casesOf = (some: fc.Arbitrary<Policy>, requests: fc.Arbitrary<AccessRequest>) =>
  fc.tuple(some, requests, fc.array(requests, { minLength: 2, maxLength: 5 }));
const cases = fc.oneof(casesOf(policies, requests), casesOf(rowPolicies, clean));

test('whatever the attributes are that are not left, the policy answers the same', () => {
  let [settled, partly, allowed] = [0, 0, 0];
  fc.assert(
    fc.property(cases, fc.subarray([...PATHS], { minLength: 1 }), ([policy, request, others], some) => {
      const open = new Set(some);
      const left = pathsLeft(policy)(request, open);
      expect([...left].filter((path) => !open.has(path))).toEqual([]);
      if (left.size === 0) settled++;
      else if (left.size < open.size) partly++;
      const needless = some.filter((path) => !left.has(path));
      for (const other of others) {
        const base = filledIn(request, left, other);
        const answers = others.map((each) => decidingRule(policy, filledIn(base, needless, each))?.effect === 'allow');
        if (answers[0]) allowed++;
        expect(new Set(answers).size).toBe(1);
      }
    }),
    { numRuns: 1_500 },
  );
  expect(Math.min(settled, partly, allowed)).toBeGreaterThan(100);
});

test('a predicate that is left may read any of them', () => {
  const isOnCall = { predicate: 'isOnCall' };
  const open = new Set<AttributePath>(['resource.owner', 'subject.team']);
  const leftOf = (...and: readonly unknown[]) =>
    pathsLeft(
      parsePolicy({ name: 'p', combining: 'first-match', rules: [{ id: 'r', effect: 'allow', when: { and } }] }),
    )(
      {
        subject: { id: 'ada', roles: [], attributes: {} },
        action: 'read',
        resource: { type: 'post', attributes: {} },
        environment: { time: 0 },
      },
      open,
    );
  expect(leftOf(isOnCall)).toEqual(open);
  expect(leftOf(isOnCall, { eq: [{ attr: 'action' }, 'write'] })).toEqual(new Set());
  expect(leftOf({ eq: [{ attr: 'resource.owner' }, { attr: 'subject.id' }] })).toEqual(new Set(['resource.owner']));
});

test('an hour in a time zone hangs on the time', () => {
  fc.assert(
    fc.property(conditions, (when) => {
      const policy = parsePolicy({ name: 'p', combining: 'first-match', rules: [{ id: 'r', effect: 'allow', when }] });
      const request = { subject: {}, action: 'a', resource: {}, environment: {} } as unknown as AccessRequest;
      for (const path of pathsLeft(policy)(request, new Set(['environment.hour'])))
        expect(path).toBe('environment.hour');
    }),
  );
  const when = { lt: [{ attr: 'environment.hour', timeZone: 'Europe/Berlin' }, 12] };
  const policy = parsePolicy({ name: 'p', combining: 'first-match', rules: [{ id: 'r', effect: 'allow', when }] });
  const request = { subject: {}, action: 'a', resource: {}, environment: { time: 0 } } as unknown as AccessRequest;
  expect([...pathsLeft(policy)(request, new Set(['environment.time', 'environment.hour']))]).toEqual([
    'environment.time',
  ]);
  expect([...pathsLeft(policy)(request, new Set(['environment.hour']))]).toEqual([]);
});
