import type { AccessRequest } from 'doorward';
import fc from 'fast-check';

const scalar = fc.constantFrom<unknown>('a', 'b', 'ab', '1', '', 0, 1, 9.5, -3, true, '\u{1f600}', '\uff5e');
const list = fc.array(fc.oneof({ arbitrary: scalar, weight: 12 }, { arbitrary: fc.constant(null), weight: 1 }), {
  maxLength: 3,
});
const value = fc.oneof(
  { arbitrary: scalar, weight: 8 },
  { arbitrary: list, weight: 2 },
  { arbitrary: fc.constantFrom({ k: 'a' }, { k: 1 }), weight: 1 },
);
const attributes = fc.record({ a: value, b: value });

/** Requests in which nothing is missing, so that rules are more often met. */
export const likelyRequests: fc.Arbitrary<AccessRequest> = fc.record({
  subject: fc.record({ id: scalar, roles: list, attributes }),
  action: fc.constantFrom('read', 'a', 'b'),
  resource: fc.record({ type: fc.constantFrom('a', 'b', 'document'), id: scalar, attributes }),
  environment: fc.record({
    time: fc.integer({ min: 0, max: 9_223_372_036_854 }),
    hour: fc.integer({ min: 0, max: 23 }),
    ip: scalar,
    attributes,
  }),
}) as unknown as fc.Arbitrary<AccessRequest>;
