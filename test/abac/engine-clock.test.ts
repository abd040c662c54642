import type { Condition } from 'doorward/abac';
import { describe, expect, it } from 'vitest';
import { lower } from '../../src/abac/condition/lower.ts';
import type { Leaf } from '../../src/abac/condition/node.ts';
import { formulaOf } from '../../src/abac/engine/link.ts';
import { inOrder } from '../../src/abac/engine/rules.ts';
import { earlier, flipOf } from '../../src/abac/engine/valid-until.ts';
import { a, action, b, engines, hour, policyOf, request, time } from './support/engines.ts';

describe('the clock', () => {
  const next = (condition: Condition, now: number, one = request()): number | undefined =>
    flipOf(lower(condition) as Leaf)?.(one, now);
  const resource = { type: 'document', attributes: { b: 500, list: [300, 'x', 700] } };
  const other = request({}, { resource });
  it.each<[string, () => number | undefined, number | undefined]>([
    ['nothing', () => next({ eq: [a, 1] }, 0), undefined],
    ['present', () => next({ present: a }, 0), undefined],
    ['a present time', () => next({ present: time }, 0), Infinity],
    ['a present hour', () => next({ present: hour }, 0), 1_000],
    ['a predicate', () => next({ predicate: 'p' }, 5), 0],
    ['the time against the hour', () => next({ lt: [time, hour] }, 5), 0],
    ['before a moment', () => next({ lt: [time, 500] }, 400), 500],
    ['before a moment, turned', () => next({ gt: [500, time] }, 400), 500],
    ['after a moment', () => next({ lt: [500, time] }, 400), 501],
    ['after a moment, at it', () => next({ lt: [500, time] }, 500), 501],
    ['after a moment, past it', () => next({ lt: [500, time] }, 501), Infinity],
    ['after a moment, in a fraction', () => next({ lt: [500.5, time] }, 500.2), 500.5],
    ['after a moment, in its fraction', () => next({ lt: [500.2, time] }, 500.5), 500.5],
    ['at a moment, turned', () => next({ eq: [500, time] }, 400), 500],
    ['of several', () => next({ in: [time, [700, 450]] }, 400), 450],
    ['of an attribute', () => next({ eq: [time, b] }, 400, other), 500],
    ['of a list', () => next({ in: [time, { attr: 'resource.list' }] }, 400, other), 700],
    ['of a list, at one', () => next({ in: [time, { attr: 'resource.list' }] }, 300, other), 301],
    ['of what is none', () => next({ eq: [time, { attr: 'resource.none' }] }, 400, other), Infinity],
    ['of a text', () => next({ eq: [time, { attr: 'subject.moment' }] }, 400, request({ moment: '500' })), Infinity],
    ['the time in a list of its own', () => next({ contains: [{ attr: 'resource.list' }, time] }, 200, other), 300],
  ])('%s', (_, find, expected) => {
    expect(find()).toBe(expected);
  });

  it('keeps the earlier moment, and none when nothing lies ahead or nobody knows the time', () => {
    const at = (moment: number) => () => moment;
    expect(earlier(at(5), request(), 1, undefined)).toBe(5);
    expect(earlier(at(5), request(), 1, 4)).toBe(4);
    expect(earlier(at(5), request(), 1, 6)).toBe(5);
    expect(earlier(at(Infinity), request(), 1, undefined)).toBeUndefined();
    expect(earlier(at(Infinity), request(), 1, 6)).toBe(6);
    for (const now of [undefined, '1', Number.NaN, Infinity]) expect(earlier(at(5), request(), now, 9)).toBe(0);
  });

  it('is asked last, and predicates after it, also inside other conditions', () => {
    const rule = (when: Condition) => inOrder(policyOf(when))[0] as ReturnType<typeof inOrder>[0];
    const order = (when: Condition): string =>
      JSON.stringify(formulaOf(rule(when)), null)
        .match(/"(?:predicate|present|less|equal)"/g)
        ?.join() ?? '';
    expect(order({ and: [{ predicate: 'p' }, { lt: [hour, 9] }, { present: a }, { eq: [b, 1] }] })).toBe(
      '"present","equal","less","predicate"',
    );
    expect(order({ or: [{ predicate: 'p' }, { and: [{ lt: [hour, 9] }, { present: a }] }, { eq: [b, 1] }] })).toBe(
      '"equal","present","less","predicate"',
    );
    expect(order({ and: [{ or: [{ predicate: 'p' }, { present: a }] }, { lt: [hour, 9] }] })).toBe(
      '"less","present","predicate"',
    );
  });

  it('that a way has read counts, and that it has not does not', () => {
    const office: Condition = {
      and: [{ or: [{ and: [{ eq: [action, 'write'] }, { gte: [hour, 9] }] }, { present: a }] }, { lte: [hour, 18] }],
    };
    const noon = request({ a: 1 }, { environment: { time: 0, hour: 12 } });
    for (const engine of engines(policyOf(office))) {
      expect(engine.decide(noon)).toMatchObject({ allowed: true, validUntil: 1_000 });
      expect(engine.decide(request({}, { environment: { time: 0, hour: 12 } }))).not.toHaveProperty('validUntil');
      expect(engine.decide(request({ a: 1 }, { environment: { time: 0, hour: 20 } }))).toMatchObject({
        allowed: false,
        reason: 'no_rule',
        validUntil: 1_000,
      });
    }
  });
});
