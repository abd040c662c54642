import type { AccessRequest } from 'doorward';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rolesOf, wireBody } from '../../src/opa/wire-input.ts';

const odd = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.constantFrom('"', '\\', '\u0000', '\u001f', '\u007f', '\u2028', '\ud800', '\udc00', 'a', '/') }),
);
const value = fc.oneof(
  { arbitrary: odd, weight: 3 },
  { arbitrary: fc.constantFrom<unknown>('', null, undefined, 1, Number.NaN, true, ['a'], new String('a')), weight: 1 },
);
const attributes = fc.dictionary(fc.constantFrom('department', 'owner_id', 'sensitivity', '__proto__'), value);
const requests = fc.record({
  subject: fc.record({ id: value, roles: fc.array(value), attributes }),
  action: value,
  resource: fc.record({ type: odd, id: value, attributes }),
  environment: fc.record({
    time: fc.integer(),
    hour: fc.oneof(fc.double(), fc.constantFrom(10, -0, 1e21, '10', undefined)),
    ip: value,
    userAgent: value,
  }),
}) as unknown as fc.Arbitrary<AccessRequest>;

/** The document of the contract, as an object. */
function documentOf({ subject, action, resource, environment }: AccessRequest, role: string, roles: readonly string[]) {
  const text = (it: unknown) => (typeof it === 'string' && it !== '' ? it : undefined);
  const own = (holder: object, name: string) => (Object.hasOwn(holder, name) ? text(holder[name as never]) : undefined);
  return {
    user: { id: text(subject.id), role, department: own(subject.attributes, 'department'), roles },
    resource: {
      id: text(resource.id),
      owner_id: own(resource.attributes, 'owner_id'),
      department: own(resource.attributes, 'department'),
      sensitivity: own(resource.attributes, 'sensitivity'),
    },
    action: text(action),
    environment: {
      hour: Number.isFinite(environment.hour) ? environment.hour : undefined,
      ip: text(environment.ip),
      user_agent: text(environment.userAgent),
    },
  };
}

describe('the body of a decision call', () => {
  it('is to the byte what JSON.stringify writes of the document of the contract', () => {
    fc.assert(
      fc.property(requests, odd, (request, role) => {
        const roles = rolesOf(request.subject.roles);
        expect(wireBody(request, role, roles)).toBe(JSON.stringify({ input: documentOf(request, role, roles) }));
      }),
      { numRuns: 2_000 },
    );
  }, 120_000);
});
