import type { AccessRequest } from 'doorward';
import type { Condition } from 'doorward/abac';
import { describe, expect, it } from 'vitest';
import { sharedSources } from '../../src/abac/engine/value-source.ts';
import { a, action, b, engines, hour, policyOf, request, time } from './support/engines.ts';

describe('names', () => {
  const names = [
    ...Array.from({ length: 64 }, (_, i) => `n${i}`),
    ...['owner_id', 'department', 'toString', 'valueOf', 'hasOwnProperty', 'isPrototypeOf', 'toLocaleString'],
    ...['propertyIsEnumerable', '__defineGetter__', '__lookupSetter__'],
  ];
  it.each(['subject', 'resource', 'environment'])('of attributes of the %s are read where they are', (part) => {
    const rules = names.map((name): Condition => ({ eq: [{ attr: `${part}.${name}` as never }, 1] }));
    const base = Object.prototype as unknown as Record<string, unknown>;
    for (const [i, name] of names.entries()) {
      const [one] = rules.slice(i);
      const parts = { subject: { id: 'ada', roles: [] }, resource: { type: 'document' }, environment: { time: 0 } };
      const held = (attributes: object) =>
        request({}, { ...parts, [part]: { ...parts[part as 'subject'], attributes } });
      for (const engine of engines(policyOf(one as Condition))) {
        const answers = [held({ [name]: 1 }), held({ [name]: 2 }), held({}), held(Object.create({ [name]: 1 }))];
        expect(answers.map((asked) => engine.decide(asked).allowed)).toEqual([true, false, false, false]);
        if (name in base) continue;
        let polluted: boolean[] = [];
        Object.defineProperty(base, name, { value: 1, configurable: true, writable: true });
        try {
          polluted = [engine.decide(held({})).allowed, engine.decide(held({ [name]: 1 })).allowed];
        } finally {
          delete base[name];
        }
        expect([name, ...polluted]).toEqual([name, false, true]);
      }
    }
  });

  it.each([
    'id',
    'roles',
    'type',
    'ip',
    'userAgent',
    'hour',
    'time',
    'action',
    'subject',
    'resource',
    'environment',
    'attributes',
  ])('what a polluted Object.prototype has as %s belongs to no request', (name) => {
    const rules: readonly Condition[] = [
      { eq: [{ attr: 'subject.id' }, 'x'] },
      { eq: [{ attr: 'resource.id' }, 'x'] },
      { eq: [{ attr: 'resource.type' }, 'x'] },
      { contains: [{ attr: 'subject.roles' }, 'x'] },
      { eq: [{ attr: 'environment.ip' }, 'x'] },
      { eq: [{ attr: 'environment.userAgent' }, 'x'] },
      { eq: [hour, 5] },
      { eq: [time, 5] },
      { eq: [action, 'x'] },
      { eq: [a, 'x'] },
      { eq: [b, 'x'] },
      { eq: [{ attr: 'environment.c' }, 'x'] },
    ];
    const value =
      { roles: ['x'], hour: 5, time: 5, attributes: { a: 'x', b: 'x', c: 'x' } }[name] ??
      (['subject', 'resource', 'environment'].includes(name)
        ? {
            id: 'x',
            type: 'x',
            roles: ['x'],
            ip: 'x',
            userAgent: 'x',
            hour: 5,
            time: 5,
            attributes: { a: 'x', b: 'x', c: 'x' },
          }
        : 'x');
    const base = Object.prototype as unknown as Record<string, unknown>;
    for (const engine of engines(policyOf(...rules))) {
      const empty = [{}, { subject: {}, resource: {}, environment: {} }] as unknown as AccessRequest[];
      const allowed: boolean[] = [];
      Object.defineProperty(base, name, { value, configurable: true, writable: true });
      try {
        for (const asked of empty) allowed.push(engine.decide(asked).allowed);
      } finally {
        delete base[name];
      }
      expect(allowed).toEqual([false, false]);
    }
  });

  it('of one hour in two zones are two values', () => {
    const zoned = (timeZone: string, value: number): Condition => ({ eq: [{ ...hour, timeZone }, value] });
    const policy = policyOf({ and: [zoned('UTC', 0), zoned('Asia/Kolkata', 5), { eq: [hour, 9] }] });
    for (const engine of engines(policy)) {
      expect(engine.decide(request({}, { environment: { time: 0, hour: 9 } })).allowed).toBe(true);
      expect(engine.decide(request({}, { environment: { time: 3_600_000, hour: 9 } })).allowed).toBe(false);
      expect(engine.decide(request({}, { environment: { hour: 9 } })).allowed).toBe(false);
    }
  });

  it('are prepared once', () => {
    const shared = sharedSources();
    expect(shared(a)).toBe(shared({ attr: 'subject.a' }));
    expect(shared(a)).not.toBe(shared(b));
    expect(shared({ ...hour, timeZone: 'UTC' })).not.toBe(shared(hour));
    expect([shared({ value: 1 }).constant, shared({ value: 2 }).constant]).toEqual([1, 2]);
  });
});
