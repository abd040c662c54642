import type { AccessRequest } from 'doorward';
import { createPolicyEngine, type Policy, parsePolicy } from 'doorward/abac';
import fc from 'fast-check';
import { expect, test } from 'vitest';

const MINUTE = 60_000;
const noon = Date.UTC(2026, 0, 1, 12);
const moments = fc.constantFrom(
  noon - 1,
  noon,
  noon + 1,
  noon + 7 * MINUTE,
  noon + 90 * MINUTE,
  noon + 90 * MINUTE + 0.5,
);
const hours = fc.constantFrom(11, 12, 13, 14, 17.5);
const zones = fc.constantFrom('UTC', 'Asia/Kolkata', 'America/St_Johns', 'Asia/Kathmandu');
const time = { attr: 'environment.time' };
const hour = fc.oneof(
  fc.constant({ attr: 'environment.hour' }),
  zones.map((timeZone) => ({ attr: 'environment.hour', timeZone })),
);
const order = fc.constantFrom('eq', 'ne', 'lt', 'lte', 'gt', 'gte');
const ordered = (left: fc.Arbitrary<unknown>, right: fc.Arbitrary<unknown>) =>
  fc.tuple(order, left, right, fc.boolean()).map(([operator, a, b, swap]) => ({ [operator]: swap ? [b, a] : [a, b] }));
const leaf = fc.oneof(
  { arbitrary: ordered(fc.constant(time), fc.oneof(moments, fc.constant({ attr: 'subject.until' }))), weight: 4 },
  { arbitrary: ordered(hour, fc.oneof(hours, fc.constant({ attr: 'resource.from' }))), weight: 3 },
  ordered(fc.constant(time), fc.constant({ attr: 'resource.from' })),
  fc.uniqueArray(moments, { minLength: 1, maxLength: 3 }).map((values) => ({ in: [time, values] })),
  fc.constant({ contains: [{ attr: 'subject.moments' }, time] }),
  hour.map((other) => ({ eq: [time, other] })),
  fc.constant({ present: time }),
  fc.constantFrom({ eq: [{ attr: 'resource.owner' }, 'ada'] }, { eq: [{ attr: 'subject.id' }, 'ada'] }),
);
const { when } = fc.letrec<{ when: unknown }>((tie) => ({
  when: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    leaf,
    fc.array(tie('when'), { minLength: 1, maxLength: 3 }).map((and) => ({ and })),
    fc.array(tie('when'), { minLength: 1, maxLength: 3 }).map((or) => ({ or })),
    tie('when').map((not) => ({ not })),
  ),
}));
const policies: fc.Arbitrary<Policy> = fc
  .tuple(
    fc.constantFrom('first-match', 'deny-overrides'),
    fc.array(fc.record({ effect: fc.constantFrom('allow', 'deny'), when }), { minLength: 1, maxLength: 4 }),
  )
  .map(([combining, rules]) =>
    parsePolicy({ name: 'p', combining, rules: rules.map((rule, index) => ({ id: `r${index}`, ...rule })) }),
  );

/** A server whose clock and hour are of one mind, in UTC. */
const queryAt = (now: number, attributes: AccessRequest['subject']['attributes']) => ({
  subject: { id: 'ada', roles: [], attributes },
  action: 'read',
  resource: { type: 'post' },
  environment: { time: now, hour: new Date(now).getUTCHours() },
});

test('until validUntil the same query gets the same filter', () => {
  let [stood, changed, absent] = [0, 0, 0];
  const subject = fc.record({ until: moments, moments: fc.array(moments, { maxLength: 2 }) }, { requiredKeys: [] });
  const later = fc.oneof(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 3 * 60 * MINUTE }));
  fc.assert(
    fc.property(
      policies,
      subject,
      moments,
      fc.array(later, { minLength: 1, maxLength: 12 }),
      (policy, given, now, steps) => {
        const engine = createPolicyEngine(policy);
        const filterAt = (at: number) => {
          const { validUntil, ...rest } = engine.filter(queryAt(at, given));
          return { validUntil, rest };
        };
        const { validUntil, rest } = filterAt(now);
        if (validUntil === undefined) absent++;
        for (const step of [...steps, (validUntil ?? 0) - now, (validUntil ?? 0) - now - 1]) {
          if (step <= 0) continue;
          if (now + step < (validUntil ?? Number.POSITIVE_INFINITY)) {
            expect(filterAt(now + step).rest).toEqual(rest);
            stood++;
          } else if (JSON.stringify(filterAt(now + step).rest) !== JSON.stringify(rest)) {
            changed++;
          }
        }
      },
    ),
    { numRuns: 1_000 },
  );
  expect(Math.min(stood, changed, absent)).toBeGreaterThan(200);
});
