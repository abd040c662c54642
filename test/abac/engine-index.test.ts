import type { AccessRequest } from 'doorward';
import { type Condition, createPolicyEngine, parsePolicy } from 'doorward/abac';
import { describe, expect, it } from 'vitest';
import { lower } from '../../src/abac/condition/lower.ts';
import { atomOf } from '../../src/abac/engine/atom.ts';
import { keyOf } from '../../src/abac/engine/candidates.ts';
import { inOrder } from '../../src/abac/engine/rules.ts';
import { decidingRule } from './support/reference.ts';

const a = { attr: 'subject.a' } as const;
const b = { attr: 'resource.b' } as const;
const c = { attr: 'environment.c' } as const;
const roles = { attr: 'subject.roles' } as const;
interface Given {
  readonly effect?: 'allow' | 'deny';
  readonly when: Condition;
}
const policyOf = (rules: readonly Given[], combining = 'first-match') =>
  parsePolicy({ name: 'p', combining, rules: rules.map((one, i) => ({ id: `r${i}`, effect: 'allow', ...one })) });
const many = (count: number, when: (index: number) => Condition, effect: 'allow' | 'deny' = 'allow'): Given[] =>
  Array.from({ length: count }, (_, i) => ({ effect, when: when(i) }));

describe('what rules can be looked up by', () => {
  it.each<[string, Condition, object | undefined]>([
    ['an attribute that equals a constant', { eq: [a, 'x'] }, { key: 'subject.a', isList: false, values: ['x'] }],
    ['turned round', { eq: ['x', a] }, { key: 'subject.a', isList: false, values: ['x'] }],
    ['one of a list', { in: [a, ['x', 'y']] }, { key: 'subject.a', isList: false, values: ['x', 'y'] }],
    ['a list that has', { contains: [roles, 'x'] }, { key: 'subject.roles[]', isList: true, values: ['x'] }],
    ['two attributes', { eq: [a, b] }, undefined],
    ['two constants', { eq: ['x', 'x'] }, undefined],
    ['a constant of constants', { in: ['x', ['x']] }, undefined],
    ['one attribute in another', { in: [a, b] }, undefined],
    ['an order', { lt: [a, 1] }, undefined],
    ['a start', { startsWith: [a, 'x'] }, undefined],
    ['a presence', { present: a }, undefined],
    ['a predicate', { predicate: 'p' }, undefined],
    ['a negation', { ne: [a, 'x'] }, undefined],
    ['the hour', { eq: [{ attr: 'environment.hour' }, 9] }, undefined],
    ['the time', { eq: [{ attr: 'environment.time' }, 9] }, undefined],
  ])('%s', (_, condition, atom) => {
    const found = atomOf(lower(condition));
    expect(found && { key: found.key, isList: found.isList, values: found.values }).toEqual(atom);
  });

  it.each<[string, Given[], string | undefined, number?]>([
    ['seven rules are asked in turn', many(7, (i) => ({ eq: [a, i] })), undefined],
    ['eight rules are looked up', many(8, (i) => ({ eq: [a, i] })), 'subject.a', 1],
    ['rules that all want the same are not', many(8, () => ({ eq: [a, 1] })), undefined],
    ['nor when half of them do', many(8, (i) => ({ eq: [a, Math.max(i, 3)] })), undefined],
    ['but when fewer than half of them do', many(8, (i) => ({ eq: [a, Math.max(i, 2)] })), 'subject.a', 1],
    ['nor when half of them want nothing', many(8, (i) => (i < 4 ? { present: b } : { eq: [a, i] })), undefined],
    [
      'the attribute that leaves fewest rules',
      many(12, (i) => ({ and: [{ eq: [a, i % 4] }, { eq: [b, i] }, { eq: [c, i % 3] }] })),
      'resource.b',
      1,
    ],
    [
      'a rule that asks for one attribute twice counts once',
      many(8, (i) => ({ and: [{ eq: [a, i] }, { eq: [a, 1] }] })),
      'subject.a',
      1,
    ],
    ['several values are several copies', many(8, (i) => ({ in: [a, [i, i + 100, i + 200]] })), 'subject.a', 3],
    ['a deny rule has one more, for the unknown', many(8, (i) => ({ eq: [a, i] }), 'deny'), 'subject.a', 2],
  ])('%s', (_, rules, key, copies) => {
    const found = keyOf(inOrder(policyOf(rules)));
    expect([found?.atom.key, found?.copies]).toEqual([key, copies]);
  });

  it('what has been tried is not tried again, and what makes too many copies is left', () => {
    const rules = inOrder(policyOf(many(8, (i) => ({ and: [{ eq: [a, i] }, { in: [b, [i, i + 100]] }] }))));
    expect(keyOf(rules)?.atom.key).toBe('subject.a');
    expect(keyOf(rules, ['subject.a'])).toMatchObject({ atom: { key: 'resource.b' }, copies: 2 });
    expect(keyOf(rules, ['subject.a'], 2)?.atom.key).toBe('resource.b');
    expect(keyOf(rules, ['subject.a'], 1.9)).toBeUndefined();
    expect(keyOf(rules, [], 0)?.atom.key).toBe('subject.a');
    expect(keyOf(rules, ['subject.a', 'resource.b'])).toBeUndefined();
  });
});

it('denials come first where they override, each rule once and in its order', () => {
  const rules: Given[] = [
    { when: { eq: [a, 1] } },
    { effect: 'deny', when: { eq: [a, 2] } },
    { when: { eq: [a, 3] } },
    { effect: 'deny', when: { eq: [a, 4] } },
  ];
  const placed = (combining: string, some = rules) =>
    inOrder(policyOf(some, combining)).map(({ rule, place }) => `${place} ${rule.id}`);
  expect(placed('first-match')).toEqual(['0 r0', '1 r1', '2 r2', '3 r3']);
  expect(placed('deny-overrides')).toEqual(['0 r1', '1 r3', '2 r0', '3 r2']);
  expect(placed('any-allow', [{ when: { eq: [a, 1] } }, { when: 'always' as never }])).toEqual(['0 r0', '1 r1']);
});

describe('what a table finds', () => {
  const requestOf = (subject: object, resource: object = {}, held: unknown = []): AccessRequest =>
    ({
      subject: { id: 'ada', roles: held, attributes: subject },
      action: 'read',
      resource: { type: 'document', attributes: resource },
      environment: { time: 0, attributes: { c: 1 } },
    }) as AccessRequest;
  const values: readonly unknown[] = [0, 1, 3, 20, '1', true, null, undefined, Number.NaN, {}, [], [1], 'none'];
  const lists: readonly unknown[] = [
    [],
    [0],
    [3, 1],
    [9, 1, 1],
    ['none'],
    [null],
    [null, 3],
    [3, null],
    ['none', {}, 5],
    null,
    'x',
    3,
    { 0: 3, length: 1 },
    Array.from({ length: 30 }, (_, i) => 29 - (i % 15)),
    [...Array.from({ length: 30 }, () => 'x'), null],
    [...Array.from({ length: 30 }, () => 'x'), 7],
  ];
  const everything: Given = { when: { present: { attr: 'action' } } };
  const policies: readonly [string, Given[]][] = [
    ['by a value', many(20, (i) => ({ eq: [a, i] }))],
    ['by a value, else another rule', [...many(20, (i) => ({ eq: [a, i] })), everything]],
    ['by a value, after another rule', [{ when: { eq: [b, 1] } }, ...many(20, (i) => ({ eq: [a, i] }))]],
    ['by a value that is denied', [...many(20, (i) => ({ eq: [a, i] }), 'deny'), everything]],
    ['by one of several values', many(20, (i) => ({ in: [a, [i, (i + 3) % 20]] }))],
    ['by an element', many(20, (i) => ({ contains: [roles, i] }))],
    ['by an element that is denied', [...many(20, (i) => ({ contains: [roles, i] }), 'deny'), everything]],
    ['by two values', many(100, (i) => ({ and: [{ eq: [a, i % 10] }, { eq: [b, Math.floor(i / 10)] }] }))],
    [
      'by two values that are denied',
      [...many(100, (i) => ({ and: [{ eq: [a, i % 10] }, { eq: [b, Math.floor(i / 10)] }] }), 'deny'), everything],
    ],
    [
      'by an element and a value',
      many(100, (i) => ({ and: [{ contains: [roles, i % 10] }, { eq: [a, Math.floor(i / 10)] }] }), 'deny'),
    ],
    [
      'by some of each',
      [
        ...many(12, (i) => ({ eq: [a, i] })),
        ...many(12, (i) => ({ contains: [roles, i] }), 'deny'),
        ...many(12, (i) => ({ and: [{ eq: [a, i] }, { present: b }] })),
        everything,
      ],
    ],
    [
      'by two attributes that want many values each',
      many(40, (i) => ({
        and: [
          { in: [a, Array.from({ length: 10 }, (_, j) => (i + j) % 40)] },
          { in: [b, Array.from({ length: 10 }, (_, j) => (i * 3 + j) % 40)] },
        ],
      })),
    ],
  ];
  const requests = [
    ...values.flatMap((value) => [1, 'none', undefined].map((other) => requestOf({ a: value }, { b: other }))),
    ...lists.flatMap((held) => [1, 3, 'none'].map((value) => requestOf({ a: value }, { b: 1 }, held))),
  ];
  it.each(policies)('%s is what the rules say one by one', (_, rules) => {
    for (const combining of ['first-match', 'deny-overrides']) {
      const policy = policyOf(rules, combining);
      expect(keyOf(inOrder(policy))).toBeDefined();
      const engine = createPolicyEngine(policy, { trace: false, generateCode: true });
      expect(engine.compiled).toBe('closures');
      for (const request of requests) {
        expect(engine.decide(request).ruleId).toBe(decidingRule(policy, request)?.id);
      }
    }
  });
});
