import { type AccessRequest, environmentSource } from 'doorward';
import {
  and,
  attr,
  type Condition,
  createPolicyEngine,
  eq,
  gt,
  gte,
  hourBetween,
  isIn,
  lt,
  lte,
  not,
  or,
  type Policy,
  policy,
  present,
  rule,
} from 'doorward/abac';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from './support/runs.ts';

const TEN_PAST = Date.UTC(2026, 2, 29, 0, 10);
const QUARTER_PAST = Date.UTC(2026, 2, 29, 0, 15);
const time = attr('environment.time');
const at = (now: unknown, more: object = {}): AccessRequest =>
  ({
    subject: { id: 'ada', roles: [], attributes: { level: 1 } },
    action: 'read',
    resource: { type: 'document', attributes: { ends: 500 } },
    environment: { time: now, hour: 9, ...more },
  }) as AccessRequest;
const until = (when: Condition, asked: AccessRequest): number | undefined => {
  const [one, ...others] = [false, true].flatMap((generateCode) =>
    [false, true].map((trace) =>
      createPolicyEngine(policy('p', [rule.allow('r', when)]), { generateCode, trace }).decide(asked),
    ),
  );
  for (const other of others) expect(other.validUntil).toBe(one?.validUntil);
  return one?.validUntil;
};

describe('until when a decision is valid', () => {
  it.each<[string, Condition, unknown, number | undefined]>([
    ['no clock was read', eq(attr('action'), 'read'), 400, undefined],
    ['the time is there', present(time), 400, undefined],
    ['the hour was read', hourBetween(9, 18), TEN_PAST, QUARTER_PAST],
    ['the hour was read on a quarter', hourBetween(9, 18), QUARTER_PAST, QUARTER_PAST + 900_000],
    ['the hour was read long ago, when zones had odd offsets', hourBetween(9, 18), 1_500, 2_000],
    ['the hour was read and nobody knows the time', hourBetween(9, 18), undefined, 0],
    ['the hour was read and the time is no number', hourBetween(9, 18), Number.NaN, 0],
    ['before a moment', lt(time, 500), 400, 500],
    ['at a moment', lt(time, 500), 500, undefined],
    ['not after a moment', lte(time, 500), 400, 501],
    ['not after a moment, at it', lte(time, 500), 500, 501],
    ['not after a moment, past it', lte(time, 500), 501, undefined],
    ['after a moment', gt(time, 500), 400, 501],
    ['from a moment on', gte(time, 500), 400, 500],
    ['exactly a moment, before it', eq(time, 500), 400, 500],
    ['exactly a moment, the other way round', eq(500, time), 500, 501],
    ['one of several moments', isIn(time, [300, 450, 500]), 400, 450],
    ['one of several moments, at one', isIn(time, [300, 400, 500]), 400, 401],
    ['an attribute that is a moment', lt(time, attr('resource.ends')), 400, 500],
    ['an attribute that is none', lt(time, attr('resource.none')), 400, undefined],
    ['a clock with fractions, at the moment', lte(time, 400.5), 400.5, 400.5],
    ['a clock with fractions, before it', lte(time, 500), 400.5, 500],
    ['the earliest of all', and(lt(time, 900), or(not(lt(time, 700)), lt(time, 800))), 400, 700],
    ['the rule is false for another reason', and(lt(time, 500), eq(attr('action'), 'update')), 400, undefined],
    ['the rule is unknown for another reason', and(lt(time, 500), eq(attr('subject.none'), 1)), 400, undefined],
  ])('%s', (_, when, now, expected) => {
    expect(until(when, at(now))).toBe(expected);
  });

  it('what comes after the rule that decided has no say', () => {
    const first = createPolicyEngine(
      policy('p', [rule.allow('a', eq(attr('action'), 'read')), rule.deny('b', lt(time, 9))]),
    );
    expect(first.decide(at(4))).not.toHaveProperty('validUntil');
    const denials = createPolicyEngine({ ...first.policy, combining: 'deny-overrides' });
    expect(denials.decide(at(10))).not.toHaveProperty('validUntil');
    expect(denials.decide(at(4))).toMatchObject({ ruleId: 'b', validUntil: 9 });
  });

  it('a decision that asked a predicate is never to be kept', () => {
    const text: Policy = {
      name: 'p',
      combining: 'first-match',
      rules: [{ id: 'r', effect: 'allow', when: { predicate: 'yes' } }],
    };
    expect(createPolicyEngine(text, { predicates: { yes: () => true } }).decide(at(400)).validUntil).toBe(0);
  });
});

const ZONES = [
  'UTC',
  'Europe/Berlin',
  'Asia/Kolkata',
  'America/St_Johns',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
] as const;
const moment = fc.oneof(
  fc.integer({ min: 0, max: 3_000_000_000_000 }),
  // Around changes of the clock, at which hours are repeated or left out; St John's changed at one minute past.
  fc
    .tuple(
      fc.constantFrom(
        Date.UTC(2026, 2, 29, 1),
        Date.UTC(2026, 9, 25, 1),
        Date.UTC(1999, 9, 31, 2, 31),
        Date.UTC(2026, 3, 4, 15),
      ),
      fc.integer({ min: -3_600_000, max: 3_600_000 }),
    )
    .map(([change, offset]) => change + offset),
);
const clockConditions = (now: number): fc.Arbitrary<Condition> => {
  const near = fc.integer({ min: -3, max: 3 }).map((offset) => now + offset);
  const hour = fc.tuple(fc.constantFrom(undefined, ...ZONES), fc.integer({ min: 0, max: 23 })).map(([zone, value]) => {
    return { lt: [{ attr: 'environment.hour', ...(zone !== undefined && { timeZone: zone }) }, value] } as const;
  });
  const moments = near.chain((value) =>
    fc.constantFrom(
      lt(time, value),
      lte(time, value),
      gt(time, value),
      gte(time, value),
      eq(time, value),
      isIn(time, [value, now + 9]),
    ),
  );
  const one = fc.oneof(hour, moments, fc.constantFrom(eq(attr('action'), 'read'), eq(attr('subject.none'), 1)));
  return fc.oneof(
    one,
    fc.tuple(one, one).map(([a, b]) => and(a, b)),
    fc.tuple(one, one).map(([a, b]) => or(a, not(b))),
  );
};
const cases = fc.tuple(moment, fc.constantFrom(...ZONES)).chain(([now, zone]) =>
  fc.record({
    now: fc.constant(now),
    zone: fc.constant(zone),
    combining: fc.constantFrom<'first-match' | 'deny-overrides'>('first-match', 'deny-overrides'),
    rules: fc.array(fc.tuple(fc.constantFrom<'allow' | 'deny'>('allow', 'deny'), clockConditions(now)), {
      minLength: 1,
      maxLength: 3,
    }),
    steps: fc.array(fc.oneof(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 1_000_000 })), {
      minLength: 8,
      maxLength: 8,
    }),
  }),
);

it('until then the same request gets the same answer, in every zone, and the moment before too', () => {
  fc.assert(
    fc.property(cases, ({ now, zone, combining, rules, steps }) => {
      const text: Policy = {
        name: 'p',
        combining,
        rules: rules.map(([effect, when], index) => ({ id: `r${index}`, effect, when })),
      };
      const engine = createPolicyEngine(text);
      let current = now;
      const environment = environmentSource({ timeZone: zone, clock: () => current });
      const decide = () => {
        const {
          ruleId,
          allowed,
          validUntil = Number.POSITIVE_INFINITY,
        } = engine.decide({ ...at(0), environment: environment() });
        return { ruleId, allowed, validUntil };
      };
      const { validUntil, ...answer } = decide();
      for (const later of [...steps.map((step) => now + step), validUntil - 1]) {
        if (later < now || later >= validUntil || later > 9e12) continue;
        current = later;
        expect(decide()).toMatchObject(answer);
      }
    }),
    { numRuns: runs(2_000) },
  );
});
