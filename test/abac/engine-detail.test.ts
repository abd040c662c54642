import type { AccessRequest } from 'doorward';
import { type AttributePath, type Condition, createPolicyEngine } from 'doorward/abac';
import { expect, it } from 'vitest';

const a = { attr: 'subject.a' } as const;
const b = { attr: 'resource.b' } as const;
const action = { attr: 'action' } as const;
const zoned = { attr: 'environment.hour', timeZone: 'Asia/Kolkata' } as const;
const asked = {
  subject: { id: 'ada', roles: ['viewer'], attributes: { a: 5, list: ['x', 'y'] } },
  action: 'read',
  resource: { type: 'document', id: 'd1', attributes: { b: 7 } },
  environment: { time: 0 },
} as unknown as AccessRequest;
const list = { attr: 'subject.list' } as const;
const traceOf = (when: Condition, redact: readonly AttributePath[] = []) =>
  createPolicyEngine(
    { name: 'p', combining: 'first-match', rules: [{ id: 'r', effect: 'allow', when }] },
    { redact, predicates: { yes: () => true, no: () => false, odd: () => 'x' as never } },
  )
    .decide(asked)
    .trace?.().rules[0];

it.each<[Condition, string]>([
  [{ eq: [a, 5] }, 'subject.a = 5'],
  [{ eq: [a, 6] }, 'subject.a = 5 (wants 6)'],
  [{ eq: [6, a] }, 'subject.a = 5 (wants 6)'],
  [{ ne: [a, 5] }, 'subject.a = 5 (wants not 5)'],
  [{ ne: [5, a] }, 'subject.a = 5 (wants not 5)'],
  [{ eq: [a, b] }, 'subject.a = 5 (wants resource.b = 7)'],
  [{ ne: [a, b] }, 'subject.a = 5, resource.b = 7'],
  [{ lt: [a, 4] }, 'subject.a = 5 (wants < 4)'],
  [{ gt: [4, a] }, 'subject.a = 5 (wants < 4)'],
  [{ lte: [a, 4] }, 'subject.a = 5 (wants <= 4)'],
  [{ gt: [a, 6] }, 'subject.a = 5 (wants > 6)'],
  [{ gte: [a, 6] }, 'subject.a = 5 (wants >= 6)'],
  [{ lte: [6, a] }, 'subject.a = 5 (wants >= 6)'],
  [{ gte: [4, a] }, 'subject.a = 5 (wants <= 4)'],
  [{ gt: [a, b] }, 'resource.b = 7 (wants < subject.a = 5)'],
  [{ startsWith: [action, 'x'] }, 'action = read (wants a start with x)'],
  [{ not: { startsWith: [action, 'r'] } }, 'action = read (wants not a start with r)'],
  [{ endsWith: [action, 'x'] }, 'action = read (wants an end with x)'],
  [{ not: { endsWith: [action, 'd'] } }, 'action = read (wants not an end with d)'],
  [{ in: [action, ['x', 'y']] }, 'action = read (wants one of [x, y])'],
  [{ not: { in: [action, ['read', 'y']] } }, 'action = read (wants not one of [read, y])'],
  [{ in: [action, list] }, 'subject.list = [x, y] (wants to have action = read)'],
  [{ contains: [list, 'z'] }, 'subject.list = [x, y] (wants to have z)'],
  [{ not: { contains: [list, 'x'] } }, 'subject.list = [x, y] (wants not to have x)'],
  [{ present: { attr: 'subject.none' } }, 'subject.none = missing (wants a value)'],
  [{ not: { present: a } }, 'subject.a = 5 (wants no value)'],
  [{ predicate: 'yes' }, 'yes = true'],
  [{ predicate: 'no' }, 'no = false (wants true)'],
  [{ not: { predicate: 'yes' } }, 'yes = true (wants false)'],
  [{ predicate: 'odd' }, 'odd = unknown (wants true)'],
  [{ eq: [zoned, 4] }, 'environment.hour in Asia/Kolkata = 5 (wants 4)'],
  // What settled it is told, and where nothing did, what nobody knows, or else all of it.
  [{ and: [{ eq: [a, 5] }, { eq: [b, 8] }, { eq: [action, 'x'] }] }, 'resource.b = 7 (wants 8)'],
  [{ or: [{ eq: [a, 6] }, { eq: [b, 7] }, { eq: [action, 'read'] }] }, 'resource.b = 7'],
  [{ and: [{ eq: [a, 5] }, { eq: [{ attr: 'subject.none' }, 1] }] }, 'subject.none = missing (wants 1)'],
  [{ or: [{ eq: [a, 6] }, { eq: [{ attr: 'subject.none' }, 1] }] }, 'subject.none = missing (wants 1)'],
  [{ and: [{ eq: [a, 5] }, { eq: [b, 7] }] }, 'subject.a = 5, resource.b = 7'],
  [{ or: [{ eq: [a, 6] }, { eq: [b, 8] }] }, 'subject.a = 5 (wants 6), resource.b = 7 (wants 8)'],
  [{ and: [{ lt: [a, 6] }, { gt: [a, 4] }] }, 'subject.a = 5'],
])('%j says %s', (condition, detail) => {
  expect(traceOf(condition)?.detail).toBe(detail);
});

it('every attribute that was named is there once, in order', () => {
  expect(traceOf({ and: [{ lt: [a, b] }, { gt: [a, 4] }] })?.attributes).toEqual([
    { path: 'subject.a', value: '5' },
    { path: 'resource.b', value: '7' },
  ]);
  expect(traceOf({ present: a })?.attributes).toEqual([{ path: 'subject.a', value: '5' }]);
  expect(traceOf({ predicate: 'yes' })).not.toHaveProperty('attributes');
});

it('nothing tells what is redacted, neither the hour in a zone of a redacted time', () => {
  expect(traceOf({ eq: [a, b] }, ['resource.b'])).toMatchObject({
    detail: 'subject.a = 5 (wants resource.b = ***)',
    attributes: [
      { path: 'subject.a', value: '5' },
      { path: 'resource.b', value: '***' },
    ],
  });
  expect(traceOf({ eq: [zoned, 4] }, ['environment.time'])?.detail).toBe(
    'environment.hour in Asia/Kolkata = *** (wants 4)',
  );
  expect(traceOf({ eq: [zoned, 4] }, ['environment.hour'])?.detail).toContain('***');
  expect(traceOf({ eq: [{ attr: 'environment.hour' }, 4] }, ['environment.time'])?.detail).toBe(
    'environment.hour = missing (wants 4)',
  );
});

it('a trace asks a predicate and reads an attribute once, and so does not contradict itself', () => {
  let calls = 0;
  let reads = 0;
  const flickers = { predicate: 'flickers' } as const;
  const engine = createPolicyEngine(
    {
      name: 'p',
      combining: 'first-match',
      rules: [
        { id: 'd', effect: 'deny', when: { and: [flickers, { eq: [a, 0] }] } },
        { id: 'r', effect: 'allow', when: { or: [flickers, { eq: [a, 1] }] } },
      ],
    },
    { predicates: { flickers: () => calls++ % 2 === 0 } },
  );
  const attributes = {
    get a() {
      return reads++;
    },
  };
  const decision = engine.decide({ ...asked, subject: { id: 'ada', roles: [], attributes } } as never);
  [calls, reads] = [0, 0];
  const rules = decision.trace?.().rules;
  expect([calls, reads]).toEqual([1, 1]);
  expect(rules?.map(({ outcome }) => outcome)).toEqual(['match', 'match']);
});
