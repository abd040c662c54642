import type { AccessRequest } from 'doorward';
import type { Condition, Policy } from 'doorward/abac';
import { describe, expect, it } from 'vitest';
import { searchOf } from '../../src/abac/engine/candidates.ts';
import { inOrder } from '../../src/abac/engine/rules.ts';
import { endAt } from '../../src/abac/engine/step.ts';
import { viewOf } from '../../src/abac/engine/view.ts';
import { a, b, policyOf, request } from './support/engines.ts';

describe('an index', () => {
  const many = (count: number, when: (i: number) => Condition): Policy =>
    policyOf(...Array.from({ length: count }, (_, i) => when(i)));
  const names = { subject: ['a'], resource: ['b'], environment: [] };
  /** The rules that are made ready to be asked in turn, and how much is left to ask of them. */
  function asked(policy: Policy, one: AccessRequest): string[] {
    const seen: string[] = [];
    const rules = inOrder(policy);
    const straight = (some: typeof rules) => {
      seen.push(...some.map(({ rule, node }) => `${rule.id}:${node.kind === 'and' ? node.nodes.length : node.kind}`));
      return endAt(rules.length);
    };
    searchOf(rules, straight, rules.length)(viewOf(one, names));
    return seen;
  }
  it('leaves one rule of many, without what has been answered', () => {
    const policy = many(20, (i) => ({ eq: [a, i] }));
    expect(asked(policy, request({ a: 3 }))).toEqual(['r3:0']);
    expect([asked(policy, request({ a: 30 })), asked(policy, request({ a: null }))]).toEqual([[], []]);
    const two = many(100, (i) => ({ and: [{ eq: [a, i % 10] }, { eq: [b, Math.floor(i / 10)] }] }));
    const resource = { type: 'document', attributes: { b: 4 } };
    expect(asked(two, request({ a: 3 }, { resource }))).toEqual(['r43:0']);
    expect(asked(two, request({ a: 3 }))).toEqual([]);
  });

  it('looks up an element once, however often it is there', () => {
    const policy = many(20, (i) => ({ contains: [{ attr: 'subject.roles' }, i] }));
    const roles = Array.from({ length: 40 }, (_, i) => (i % 2 === 0 ? 3 : 7));
    expect(asked(policy, request({}, { subject: { id: 'ada', roles, attributes: {} } })).toSorted()).toEqual([
      'r3:0',
      'r7:0',
    ]);
  });

  it('copies no rule into table after table', () => {
    const among = (path: 'subject.a' | 'resource.b', i: number): Condition => ({
      in: [{ attr: path }, Array.from({ length: 20 }, (_, j) => i * 31 + j * 7)],
    });
    // Both attributes hold twenty values a rule: the second table would hold four hundred copies of each.
    const policy = many(64, (i) => ({ and: [among('subject.a', i), among('resource.b', i)] }));
    const seen = asked(policy, request({ a: 1_000 }, { resource: { type: 'document', attributes: { b: 'none' } } }));
    expect(seen.every((one) => one.endsWith(':1'))).toBe(true);
  });
});
