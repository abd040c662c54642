import { type AccessRequest, allow, type Decision, deny, environmentSource, type PolicyDecisionPoint } from 'doorward';
import { attr, createPolicyEngine, eq, policy, rule } from 'doorward/abac';
import { type AuthzenEndpointOptions, createAuthzenEndpoint } from 'doorward/authzen';
import { contractRoles } from 'doorward/rbac';
import { describe, expect, it } from 'vitest';
import { answerOf, BASE, post } from './certification-pdp.ts';

const NOW = Date.parse('2026-03-02T12:00:00Z');
const environment = environmentSource({ clock: () => NOW });
const body = {
  subject: { type: 'user', id: 'ada' },
  action: { name: 'read' },
  resource: { type: 'document', id: 'plan' },
};
const endpointOf = (pdp: PolicyDecisionPoint, options: Partial<AuthzenEndpointOptions> = {}) =>
  createAuthzenEndpoint({ pdp, environment, ...options });

/** Remembers what a decision point was asked. */
function recording(decision: (request: AccessRequest) => Decision = () => allow('rule')) {
  const asked: AccessRequest[] = [];
  return {
    asked,
    decide: (request: AccessRequest) => {
      asked.push(request);
      return decision(request);
    },
  };
}
const evaluate = (pdp: PolicyDecisionPoint, request: unknown, options: Partial<AuthzenEndpointOptions> = {}) =>
  post(endpointOf(pdp, options), '/access/v1/evaluation', request);

describe('a request becomes an access request', () => {
  it('with properties, roles, context and the properties of the action', async () => {
    const pdp = recording();
    await evaluate(pdp, {
      subject: {
        type: 'user',
        id: 'ada',
        properties: { roles: ['editor'], department: 'sales', type: 'admin', boss: null },
      },
      action: { name: 'share', properties: { level: 2, gone: null } },
      resource: { type: 'document', id: 'plan', properties: { owner_id: 'bob' } },
      context: {
        ip: '192.0.2.1',
        user_agent: 'curl',
        tenant: 't1',
        action_level: 9,
        action_other: 9,
        time: 0,
        hour: 3,
      },
    });
    expect(pdp.asked).toStrictEqual([
      {
        subject: { id: 'ada', roles: ['editor'], attributes: { department: 'sales', type: 'user' } },
        action: 'share',
        resource: { type: 'document', id: 'plan', attributes: { owner_id: 'bob' } },
        environment: {
          time: NOW,
          hour: 12,
          ip: '192.0.2.1',
          userAgent: 'curl',
          attributes: { tenant: 't1', action_level: 2 },
        },
      },
    ]);
  });

  it('at the time of the caller, where that is trusted', async () => {
    const pdp = recording();
    const at = async (context: unknown) => {
      const { status, body: text } = await evaluate(pdp, { ...body, context }, { trustsTime: true });
      return status === 200 ? pdp.asked.at(-1)?.environment : text;
    };
    const time = Date.parse('2025-06-28T01:03:00Z');
    expect(await at({ time: '2025-06-27T18:03-07:00' })).toStrictEqual({ time, attributes: {} });
    expect(await at({ time: '2025-06-27T18:03-07:00', hour: 18 })).toStrictEqual({ time, hour: 18, attributes: {} });
    expect(await at({ hour: 3 })).toStrictEqual({ time: NOW, hour: 3, attributes: {} });
    expect(await at({})).toStrictEqual({ time: NOW, hour: 12, attributes: {} });
    for (const wrong of ['tomorrow', 5, '2025-13-01T00:00:00Z', '2025-06-27']) {
      expect(await at({ time: wrong })).toBe('context.time must be a date and time of RFC 3339');
    }
    for (const wrong of ['9', 24, -1, 9.5]) {
      expect(await at({ hour: wrong })).toBe('context.hour must be a whole number from 0 to 23');
    }
  });

  it('whose resource has no id where it is empty', async () => {
    const pdp = recording();
    await evaluate(pdp, { ...body, resource: { type: 'document', id: '' } });
    expect(pdp.asked[0]?.resource).toStrictEqual({ type: 'document', attributes: {} });
  });

  it('with the subject and the resource that were looked up, whatever the caller says of them', async () => {
    const pdp = recording();
    const options: Partial<AuthzenEndpointOptions> = {
      resolveSubject: async ({ id }) => ({ id, roles: ['viewer'], attributes: {} }),
      resolveResource: ({ type, id }) => (id === 'plan' ? { type, id, attributes: { owner_id: 'eve' } } : undefined),
    };
    const lie = { ...body, subject: { type: 'user', id: 'ada', properties: { roles: ['admin'] } } };
    expect((await evaluate(pdp, lie, options)).body).toStrictEqual({ decision: true });
    expect(pdp.asked[0]).toMatchObject({
      subject: { roles: ['viewer'] },
      resource: { attributes: { owner_id: 'eve' } },
    });
    const unknown = { ...body, resource: { type: 'document', id: 'other' } };
    expect((await evaluate(pdp, unknown, options)).body).toStrictEqual({ decision: false });
    expect(pdp.asked).toHaveLength(1);
  });

  it('only for types of subjects that may be allowed anything', async () => {
    const pdp = recording();
    const service = { ...body, subject: { type: 'service', id: 'ada' } };
    expect((await evaluate(pdp, service)).body).toStrictEqual({ decision: false });
    expect(pdp.asked).toHaveLength(0);
    expect((await evaluate(pdp, service, { subjectTypes: ['service'] })).body).toStrictEqual({ decision: true });
    expect(pdp.asked[0]?.subject.attributes).toStrictEqual({ type: 'service' });
  });

  it('with roles by another name', async () => {
    const grouped = { ...body, subject: { type: 'user', id: 'ada', properties: { groups: ['viewer'] } } };
    expect((await evaluate(contractRoles, grouped, { rolesProperty: 'groups' })).body).toStrictEqual({
      decision: true,
    });
    expect((await evaluate(contractRoles, grouped)).body).toStrictEqual({ decision: false });
  });
});

describe('without a decision', () => {
  const failures: [string, PolicyDecisionPoint, Partial<AuthzenEndpointOptions>?][] = [
    [
      'a throw',
      {
        decide: () => {
          throw new Error('secret');
        },
      },
    ],
    ['a rejection', { decide: () => Promise.reject(new Error('secret')) }],
    ['no answer in time', { decide: () => new Promise(() => {}) }, { decisionTimeoutMs: 20 }],
    ['what is no decision', { decide: () => ({ effect: 'allow' }) as unknown as Decision }],
    ['a decision that is remote and failed', { decide: () => deny('unavailable') }],
    [
      'a look-up that throws',
      recording(),
      {
        resolveSubject: () => {
          throw new Error('secret');
        },
      },
    ],
    ['a look-up that hangs', recording(), { resolveResource: () => new Promise(() => {}), decisionTimeoutMs: 20 }],
    [
      'a clock that throws',
      recording(),
      {
        environment: () => {
          throw new Error('secret');
        },
      },
    ],
  ];
  it.each(failures.map(([name, pdp, options = {}]) => ({ name, pdp, options })))(
    '$name is 500 for one, and in its place for several',
    async ({ pdp, options }) => {
      const one = await evaluate(pdp, body, options);
      expect([one.status, one.body]).toEqual([500, 'the decision point did not answer']);
      const several = await post(endpointOf(pdp, options), '/access/v1/evaluations', {
        ...body,
        evaluations: [{}, {}],
      });
      const failed = {
        decision: false,
        context: { error: { status: 500, message: 'the decision point did not answer' } },
      };
      expect([several.status, several.body]).toEqual([200, { evaluations: [failed, failed] }]);
    },
  );

  it('there are no results either', async () => {
    const search = { actions: ['read'] };
    const endpoint = endpointOf({ decide: () => deny('timeout') }, { search });
    const answer = await post(endpoint, '/access/v1/search/action', body);
    expect([answer.status, answer.body]).toEqual([500, 'the search could not be completed']);
  });
});

describe('several evaluations', () => {
  const pdp = createPolicyEngine(policy('p', [rule.allow('a', eq(attr('resource.id'), 'yes'))]));
  const items = (...ids: readonly string[]) => ids.map((id) => ({ resource: { type: 'document', id } }));
  const run = async (semantic: unknown, evaluations: readonly unknown[], options = {}) =>
    post(endpointOf(pdp, options), '/access/v1/evaluations', {
      subject: body.subject,
      action: body.action,
      evaluations,
      options: { evaluations_semantic: semantic, another_option: 'value' },
    });
  const yes = { decision: true };
  const no = { decision: false };

  it.each([
    ['execute_all', [yes, no, yes]],
    [null, [yes, no, yes]],
    ['deny_on_first_deny', [yes, no]],
    ['permit_on_first_permit', [yes]],
  ])('by the semantic %s end where they should', async (semantic, expected) => {
    expect((await run(semantic, items('yes', 'no', 'yes'))).body).toStrictEqual({ evaluations: expected });
  });

  it('by permit_on_first_permit go on after denials', async () => {
    expect((await run('permit_on_first_permit', items('no', 'yes', 'yes'))).body).toStrictEqual({
      evaluations: [no, yes],
    });
  });

  it('by deny_on_first_deny end with a failure too', async () => {
    const answer = await run('deny_on_first_deny', ['nonsense', ...items('yes')]);
    expect(answer.body).toStrictEqual({
      evaluations: [{ ...no, context: { error: { status: 400, message: 'evaluations[0] must be an object' } } }],
    });
  });

  it.each([
    ['evaluations', { ...body, evaluations: {} }],
    ['options', { ...body, evaluations: [{}], options: [] }],
    ['options.evaluations_semantic', { ...body, evaluations: [{}], options: { evaluations_semantic: 'any' } }],
    ['subject', { ...body, subject: 'ada', evaluations: [body] }],
    ['resource.id', { ...body, resource: { type: 'document' }, evaluations: [body] }],
    ['evaluations', { ...body, evaluations: Array.from({ length: 101 }, () => ({})) }],
  ])('are refused as a whole for a wrong %s', async (field, request) => {
    const answer = await post(endpointOf(pdp), '/access/v1/evaluations', request);
    expect(answer.status).toBe(400);
    expect(answer.body).toMatch(new RegExp(`^${field.replaceAll('.', '\\.')} `));
  });
});

describe('the options of an endpoint', () => {
  const valid = { pdp: contractRoles, environment };
  it.each<[string, object]>([
    ['pdp', { ...valid, pdp: {} }],
    ['environment', { ...valid, environment: {} }],
    ['token', { ...valid, token: 'not a token' }],
    ['baseUrl', { ...valid, baseUrl: 'http://pdp.example.com' }],
    ['baseUrl', { ...valid, baseUrl: 'https://pdp.example.com/' }],
    ['baseUrl', { ...valid, baseUrl: 'https://pdp.example.com?tenant=1' }],
    ['baseUrl', { ...valid, baseUrl: 'https://pdp.example.com/a/../b' }],
    ['path', { ...valid, path: 'tenant' }],
    ['path', { ...valid, path: '/a/../b' }],
    ['pageKey', { ...valid, pageKey: new Uint8Array(16) }],
    ['reasons', { ...valid, reasons: 'yes' }],
    ['maxEvaluations', { ...valid, maxEvaluations: 0 }],
    ['tokens', { ...valid, tokens: ['x'] }],
    ['subject', { ...valid, search: { subject: () => [] } }],
  ])('are refused for a wrong %s', (field, options) => {
    expect(() => createAuthzenEndpoint(options as AuthzenEndpointOptions)).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', field }),
    );
  });

  it('mount it at a path of its own', async () => {
    const endpoint = endpointOf(recording(), { path: '/internal', baseUrl: `${BASE}/tenant1` });
    expect((await post(endpoint, '/internal/access/v1/evaluation', body)).body).toStrictEqual({ decision: true });
    const metadata = await answerOf(await endpoint(new Request(`${BASE}/.well-known/authzen-configuration/internal`)));
    expect(metadata.body).toMatchObject({ policy_decision_point: `${BASE}/tenant1` });
  });
});
