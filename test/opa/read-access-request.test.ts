import { type AccessRequest, allow, environmentSource } from 'doorward';
import { accessRequestInput, createDecisionEndpoint, readAccessRequestInput } from 'doorward/opa';
import { describe, expect, it } from 'vitest';

const environment = environmentSource({ clock: () => 1_000 });
const read = (input: unknown) => readAccessRequestInput(JSON.parse(JSON.stringify(input)), environment);

describe('an access request as the input of a decision call', () => {
  const request: AccessRequest = {
    subject: { id: 'ada', roles: ['editor'], attributes: { department: 'sales', tags: ['a'] } },
    action: 'update',
    resource: { type: 'document', id: 'plan', attributes: { owner_id: 'bob' } },
    environment: { time: 5, hour: 9, ip: '192.0.2.1', userAgent: 'curl', attributes: { tenant: 't1' } },
  };

  it('is read as it was written', () => {
    expect(read(accessRequestInput(request))).toStrictEqual(request);
  });

  it('has the moment of the server where it tells none', () => {
    const { environment: moment } = read({ environment: { hour: '9', ip: 5 } });
    expect(moment).toStrictEqual({ time: 1_000, hour: 0, attributes: {} });
  });

  it.each([null, undefined, 5, [], 'x', {}, { subject: [], resource: 'x', environment: 1 }])(
    'is empty for %j',
    (input) => {
      expect(readAccessRequestInput(input, environment)).toStrictEqual({
        subject: { id: '', roles: [], attributes: {} },
        action: '',
        resource: { type: '', attributes: {} },
        environment: { time: 1_000, hour: 0, attributes: {} },
      });
    },
  );

  it('has roles that are unknown, and not none, where they are no list', () => {
    expect(read({ subject: { roles: 'suspended' } }).subject.roles).toBe('suspended');
  });

  it('takes nothing from a prototype', () => {
    const input = JSON.parse(
      '{"subject":{"__proto__":{"id":"root","roles":["admin"]},"attributes":{"__proto__":{"a":1}}}}',
    ) as unknown;
    const { subject } = readAccessRequestInput(input, environment);
    expect([subject.id, subject.roles, subject.attributes.a]).toEqual(['', [], undefined]);
  });

  it('is what an endpoint decides on when it is told so', async () => {
    const asked: AccessRequest[] = [];
    const pdp = {
      decide: (question: AccessRequest) => {
        asked.push(question);
        return allow('rule');
      },
    };
    const endpoint = createDecisionEndpoint({ pdp, environment, readInput: readAccessRequestInput });
    const body = JSON.stringify({ input: accessRequestInput(request) });
    const response = await endpoint(new Request('http://pdp.example/v1/data/authz/allow', { method: 'POST', body }));
    expect(await response.json()).toEqual({ result: true });
    expect(asked).toStrictEqual([request]);
  });
});
