import type { Condition } from 'doorward/abac';
import { describe, expect, it } from 'vitest';
import { a, action, b, engines, hour, policyOf, time } from './support/engines.ts';

describe('requests of every shape', () => {
  const whole = {
    subject: { id: 'ada', roles: ['viewer'], attributes: { a: 1 } },
    resource: { id: 'd1', type: 'document', attributes: { b: 2 } },
    environment: { time: 5, hour: 9, ip: '192.0.2.1', userAgent: 'curl', attributes: { c: 3 } },
    action: 'read',
  };
  const conditions: readonly Condition[] = [
    { eq: [a, 1] },
    { eq: [b, 2] },
    { eq: [{ attr: 'environment.c' }, 3] },
    { eq: [{ attr: 'subject.id' }, 'ada'] },
    { contains: [{ attr: 'subject.roles' }, 'viewer'] },
    { eq: [{ attr: 'resource.id' }, 'd1'] },
    { eq: [{ attr: 'resource.type' }, 'document'] },
    { eq: [time, 5] },
    { eq: [hour, 9] },
    { eq: [{ attr: 'environment.ip' }, '192.0.2.1'] },
    { eq: [{ attr: 'environment.userAgent' }, 'curl'] },
    { eq: [action, 'read'] },
  ];
  const own = (held: object): object => Object.assign(Object.create({ inherited: true }) as object, held);
  const bare = (held: object): object => Object.assign(Object.create(null) as object, held);
  const parts = ['subject', 'resource', 'environment'] as const;
  const shapes: [string, unknown, boolean][] = [
    ['plain', whole, true],
    ['of a class', own(whole), true],
    ['without a prototype', bare(whole), true],
    ['inherited', Object.create(whole), false],
    ['a list', Object.assign([], whole), false],
    ...[null, undefined, 'x', 5, true].map((nothing): [string, unknown, boolean] => [String(nothing), nothing, false]),
  ];
  const said = (asked: unknown) =>
    conditions.map((condition) => {
      const [first, ...others] = engines(policyOf(condition)).map((engine) => engine.decide(asked as never).allowed);
      for (const other of others) expect(other).toBe(first);
      return first;
    });

  it.each(shapes)('%s', (_, asked, isRead) => {
    expect(said(asked)).toEqual(conditions.map(() => isRead));
  });

  const READS = { subject: [0, 3, 4], resource: [1, 5, 6], environment: [2, 7, 8, 9, 10] };
  it.each(parts)('with a %s of every shape', (part) => {
    for (const make of [own, bare]) {
      expect(said({ ...whole, [part]: make(whole[part]) })).toEqual(conditions.map(() => true));
    }
    for (const other of [
      null,
      undefined,
      'x',
      5,
      Object.create(whole[part]),
      Object.assign([], whole[part]),
      () => 1,
    ]) {
      expect(said({ ...whole, [part]: other })).toEqual(conditions.map((_, i) => !READS[part].includes(i)));
    }
  });

  it.each(parts)('with attributes of the %s of every shape', (part) => {
    const { attributes } = whole[part];
    for (const make of [own, bare]) {
      expect(said({ ...whole, [part]: { ...whole[part], attributes: make(attributes) } })).toEqual(
        conditions.map(() => true),
      );
    }
    for (const other of [null, undefined, 'x', 5, Object.create(attributes), Object.assign([], attributes)]) {
      const asked = { ...whole, [part]: { ...whole[part], attributes: other } };
      expect(said(asked)).toEqual(conditions.map((_, i) => READS[part][0] !== i));
    }
  });

  it('without attributes, of which none is asked', () => {
    const asked = { subject: { id: 'ada' }, resource: {}, environment: {}, action: 'read' } as never;
    for (const engine of engines(policyOf({ eq: [{ attr: 'subject.id' }, 'ada'] }))) {
      expect(engine.decide(asked).allowed).toBe(true);
    }
  });
});
