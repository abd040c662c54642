import type { AccessRequest } from 'doorward';
import fc from 'fast-check';

const scalar = fc.constantFrom<unknown>('a', 'b', 'ab', '1', 0, 1, 9.5, -3, true, '\u{1f600}', '\uff5e');
const value = fc.oneof({ arbitrary: scalar, weight: 5 }, { arbitrary: fc.array(scalar, { maxLength: 3 }), weight: 1 });
const attributes = fc.record({ a: value, b: value });
/** Requests in which every value is where it belongs, so that rules are more often met. */
export const likelyRequests: fc.Arbitrary<AccessRequest> = fc.record({
  subject: fc.record({ id: scalar, roles: fc.array(scalar, { maxLength: 3 }), attributes }),
  action: fc.constantFrom('read', 'a', 'b'),
  resource: fc.record({ type: fc.constantFrom('a', 'b', 'document'), id: scalar, attributes }),
  environment: fc.record({
    time: fc.integer({ min: 0, max: 9_223_372_036_854 }),
    hour: fc.integer({ min: 0, max: 23 }),
    ip: scalar,
    attributes,
  }),
}) as unknown as fc.Arbitrary<AccessRequest>;
