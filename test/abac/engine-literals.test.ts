import type { Condition } from 'doorward/abac';
import { describe, expect, it } from 'vitest';
import { lower } from '../../src/abac/condition/lower.ts';
import type { Leaf } from '../../src/abac/condition/node.ts';
import { literalOf } from '../../src/abac/engine/literal.ts';
import { sourceOf } from '../../src/abac/engine/value-source.ts';
import { a, action, b, hour, time } from './support/engines.ts';

describe('the questions that need no call', () => {
  const kindOf = (condition: Condition, outcome = true): string =>
    literalOf(lower(condition) as Leaf, outcome, { predicates: new Map(), sourceOf }).kind;
  it.each<[string, Condition]>([
    ['action', { eq: [action, 'read'] }],
    ['action', { eq: ['read', action] }],
    ['ofSubject', { eq: [a, 1] }],
    ['ofSubject', { eq: [1, a] }],
    ['ofResource', { eq: [b, 1] }],
    ['role', { contains: [{ attr: 'subject.roles' }, 'admin'] }],
    ['owner', { eq: [{ attr: 'subject.id' }, b] }],
    ['owner', { eq: [b, { attr: 'subject.id' }] }],
    ['shared', { eq: [a, b] }],
    ['shared', { eq: [b, a] }],
    ['other', { eq: [{ attr: 'environment.a' }, 1] }],
    ['other', { eq: [{ attr: 'resource.type' }, 'x'] }],
    ['other', { eq: [b, { attr: 'resource.c' }] }],
    ['other', { contains: [a, 'x'] }],
    ['other', { in: [a, ['x']] }],
    ['other', { in: [action, ['read']] }],
    ['other', { in: [{ attr: 'subject.roles' }, ['x']] }],
    ['other', { in: [a, b] }],
    ['other', { lt: [a, 1] }],
    ['other', { startsWith: [a, 'x'] }],
    ['other', { present: a }],
    ['clock', { lt: [hour, 9] }],
    ['clock', { lt: [time, 9] }],
    ['clock', { predicate: 'p' }],
  ])('%s: %j', (kind, condition) => {
    expect(kindOf(condition)).toBe(kind);
    // What is to be false has to be known, too, which takes a call.
    expect(kindOf(condition, false)).toBe(kind === 'clock' ? 'clock' : 'other');
  });
});
