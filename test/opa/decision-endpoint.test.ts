import { type AccessRequest, allow, deny, environmentSource, type PolicyDecisionPoint } from 'doorward';
import { contractDecisionPolicy, createPolicyEngine } from 'doorward/abac';
import { createDecisionEndpoint, type DecisionEndpointOptions } from 'doorward/opa';
import { contractRoles } from 'doorward/rbac';
import { describe, expect, it } from 'vitest';

const PATH = '/v1/data/authz/allow';
const noon = environmentSource({ clock: () => Date.parse('2026-03-02T12:00:00Z') });
const night = environmentSource({ clock: () => Date.parse('2026-03-02T03:00:00Z') });
const engine = createPolicyEngine(contractDecisionPolicy(contractRoles.grants));

type Init = { readonly body?: BodyInit | null; readonly method?: string; readonly headers?: Record<string, string> };
async function send(
  { body = null, method = 'POST', headers = {} }: Init,
  options: Partial<DecisionEndpointOptions> = {},
  path = PATH,
) {
  const endpoint = createDecisionEndpoint({ pdp: engine, environment: noon, ...options });
  const streamed = body instanceof ReadableStream ? { duplex: 'half' } : {};
  const request = new Request(`http://policy.example${path}`, {
    method,
    headers,
    ...(method !== 'GET' && { body }),
    ...streamed,
  } as RequestInit);
  const response = await endpoint(request);
  return { status: response.status, headers: response.headers, body: (await response.json()) as unknown };
}
const ask = (input: unknown, options?: Partial<DecisionEndpointOptions>) =>
  send({ body: JSON.stringify({ input }) }, options);

describe('a decision call', () => {
  const user = { id: 'u1', role: 'nobody', department: 'sales' };
  const sensitive = { id: 'd1', owner_id: 'u2', department: 'sales', sensitivity: 'high' };

  it.each<[string, unknown, boolean]>([
    ['an admin', { user: { role: 'admin' } }, true],
    ['a role with the permission', { user: { ...user, role: 'editor' }, action: 'update' }, true],
    ['a role without the permission', { user: { ...user, role: 'editor' }, action: 'delete' }, false],
    ['the department at 9', { user, resource: sensitive, action: 'delete', environment: { hour: 9 } }, true],
    ['the department at 18', { user, resource: sensitive, action: 'delete', environment: { hour: 18 } }, true],
    ['the department at 19', { user, resource: sensitive, action: 'delete', environment: { hour: 19 } }, false],
    [
      'the department after half past 18',
      { user, resource: sensitive, action: 'delete', environment: { hour: 18.5 } },
      false,
    ],
    [
      'the owner',
      { user, resource: { ...sensitive, owner_id: 'u1' }, action: 'delete', environment: { hour: 3 } },
      true,
    ],
    ['a stranger', { user, resource: { ...sensitive, department: 'hr' }, action: 'read' }, false],
    ['nothing', {}, false],
  ])('of %s is answered as OPA does', async (_, input, result) => {
    const answer = await ask(input);
    expect(answer.status).toBe(200);
    expect(answer.body).toStrictEqual({ result });
    expect(answer.headers.get('content-type')).toContain('application/json');
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });

  it.each<[unknown]>([[undefined], [null], ['12'], [true], [[12]], [{}]])(
    'with the hour %j goes by the own clock',
    async (hour) => {
      const input = { user, resource: sensitive, action: 'delete', environment: { hour } };
      expect((await ask(input, { environment: noon })).body).toEqual({ result: true });
      expect((await ask(input, { environment: night })).body).toEqual({ result: false });
    },
  );

  it('counts user.role only, not user.roles', async () => {
    expect((await ask({ user: { ...user, roles: ['admin'] }, action: 'read' })).body).toEqual({ result: false });
  });

  it('hands a decision point the request that the call describes', async () => {
    const seen: AccessRequest[] = [];
    const pdp: PolicyDecisionPoint = {
      decide: (request) => {
        seen.push(request);
        return Promise.resolve(allow('rule'));
      },
    };
    const environment = { hour: 7, ip: '192.0.2.1', user_agent: 'browser' };
    expect(
      (await ask({ user: { ...user, name: 'x' }, resource: sensitive, action: 'read', environment }, { pdp })).body,
    ).toEqual({ result: true });
    expect(seen).toEqual([
      {
        subject: { id: 'u1', roles: ['nobody'], attributes: { department: 'sales' } },
        action: 'read',
        resource: { type: '', id: 'd1', attributes: { owner_id: 'u2', department: 'sales', sensitivity: 'high' } },
        environment: { time: Date.parse('2026-03-02T12:00:00Z'), hour: 7, ip: '192.0.2.1', userAgent: 'browser' },
      },
    ]);
  });

  it.each<[string, PolicyDecisionPoint]>([
    [
      'fails',
      {
        decide: () => {
          throw new Error('secret');
        },
      },
    ],
    ['rejects', { decide: () => Promise.reject(new Error('secret')) }],
    ['gives no answer', { decide: () => deny('timeout') }],
  ])('is an error, and no plain no, when the decision point %s', async (_, pdp) => {
    const answer = await ask({ user: { role: 'admin' } }, { pdp });
    expect(answer.status).toBe(500);
    expect(answer.body).toEqual({ code: 'internal_error', message: 'the decision point did not answer' });
  });
});

describe('odd input', () => {
  it.each([null, undefined])('without an input (%j) is answered with a warning', async (input) => {
    expect((await ask(input)).body).toStrictEqual({
      result: false,
      warning: { code: 'api_usage_warning', message: "'input' key missing from the request" },
    });
  });

  it.each(['', '{}', 'null', ' \n'])('the body %j has no input', async (body) => {
    const answer = await send({ body });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ result: false, warning: { code: 'api_usage_warning' } });
  });

  it('no body has no input', async () => {
    expect((await send({})).body).toMatchObject({ result: false, warning: { code: 'api_usage_warning' } });
  });

  it.each<[unknown]>([
    ['admin'],
    [5],
    [true],
    [[]],
    [['admin']],
    [{ user: 'admin' }],
    [{ user: ['admin'] }],
    [{ user: null, resource: null, environment: null }],
    [{ user: { role: ['admin'] } }],
    [{ user: { role: { admin: true } } }],
    [{ user: { role: 'constructor' }, action: 'name' }],
    [{ user: { role: '__proto__' }, action: 'toString' }],
    [{ user: { role: 'editor' }, action: ['read'] }],
    [{ user: { id: null }, resource: { owner_id: null } }],
    [{ user: { id: '' }, resource: { owner_id: '' } }],
    [{ user: { id: 1 }, resource: { owner_id: 1 } }],
    [{ user: { id: ['a'] }, resource: { owner_id: ['a'] } }],
    [{ user: {}, resource: {} }],
    [{ user: { department: null }, resource: { department: null, sensitivity: 'high' } }],
  ])('the input %j is denied', async (input) => {
    const answer = await ask(input);
    expect(answer.status).toBe(200);
    expect(answer.body).toStrictEqual({ result: false });
  });

  it('a key named __proto__ gives nobody a role', async () => {
    const answer = await send({
      body: '{"input":{"user":{"__proto__":{"role":"admin"}},"__proto__":{"user":{"role":"admin"}}}}',
    });
    expect(answer.body).toStrictEqual({ result: false });
  });

  it('numbers too large to tell apart are not the same identity', async () => {
    const answer = await send({
      body: '{"input":{"user":{"id":9007199254740993},"resource":{"owner_id":9007199254740992}}}',
    });
    expect(answer.body).toStrictEqual({ result: false });
  });

  it.each(['{', '{"input":', '[]', '5', '"x"', 'true', '{"input":{}} x', '\ufeff{', 'input: {}', '\u0000'])(
    'the body %j is refused in the shape of OPA',
    async (body) => {
      const answer = await send({ body });
      expect(answer.status).toBe(400);
      expect(answer.body).toEqual({ code: 'invalid_parameter', message: 'body contains malformed input document' });
    },
  );

  it('a body that breaks off is refused', async () => {
    const body = new ReadableStream({ pull: (controller) => controller.error(new Error('reset')) });
    expect((await send({ body })).status).toBe(400);
  });

  it('a body of 64 KiB is read, one byte more is not', async () => {
    const padded = (x: string): string => JSON.stringify({ input: { user: { role: 'admin' } }, x });
    const room = 65_536 - padded('').length;
    expect((await send({ body: padded('y'.repeat(room)) })).body).toEqual({ result: true });
    const answer = await send({ body: padded('y'.repeat(room + 1)) });
    expect(answer.status).toBe(413);
    expect(answer.body).toEqual({ code: 'invalid_parameter', message: 'request body too large' });
  });

  it('an endless body is cut off', async () => {
    const events: string[] = [];
    const body = new ReadableStream({
      pull: (controller) => {
        events.push('chunk');
        controller.enqueue(new Uint8Array(1_024).fill(32));
      },
      cancel: () => void events.push('cancelled'),
    });
    expect((await send({ body })).status).toBe(413);
    expect(events.at(-1)).toBe('cancelled');
    expect(events.length).toBeLessThan(100);
  });

  it('deep nesting is no error', async () => {
    expect((await send({ body: `{"input":${'['.repeat(30_000)}${']'.repeat(30_000)}}` })).body).toEqual({
      result: false,
    });
  });
});

describe('who may call, and how', () => {
  const body = JSON.stringify({ input: { user: { role: 'admin' } } });
  const token = 'a-token-for-the-decision-point';

  it.each([
    ['none', undefined],
    ['another', 'Bearer another'],
    ['the beginning', `Bearer ${token.slice(0, -1)}`],
    ['one that is longer', `Bearer ${token}x`],
    ['no scheme', token],
    ['another scheme', `Basic ${token}`],
    ['two', `Bearer ${token}, Bearer ${token}`],
    ['an empty one', 'Bearer '],
  ])('the token %s is refused', async (_, authorization) => {
    const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
    const answer = await send({ body, headers }, { token });
    expect(answer.status).toBe(401);
    expect(answer.body).toEqual({ code: 'unauthorized', message: 'request rejected by administrative policy' });
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
  });

  it('the right token is taken, whatever the case of the scheme', async () => {
    for (const scheme of ['Bearer', 'bearer']) {
      expect((await send({ body, headers: { authorization: `${scheme} ${token}` } }, { token })).body).toEqual({
        result: true,
      });
    }
  });

  it('a call without the token is refused before its body is read', async () => {
    const events: string[] = [];
    const stream = new ReadableStream({ pull: () => void events.push('pulled') }, { highWaterMark: 0 });
    expect((await send({ body: stream }, { token })).status).toBe(401);
    expect(events).toEqual([]);
  });

  it.each(['GET', 'PUT', 'DELETE', 'PATCH'])('%s is not allowed', async (method) => {
    const answer = await send({ method });
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toBe('POST');
    expect(answer.body).toMatchObject({ code: 'invalid_parameter' });
  });

  it.each([
    '/v1/data/authz',
    '/v1/data/authz/allow/',
    '/v1/data/authz/deny',
    '//v1/data/authz/allow',
    '/V1/data/authz/allow',
    '/v1/data/authz%2Fallow',
  ])('the path %s is not found', async (path) => {
    const answer = await send({ body }, {}, path);
    expect(answer.status).toBe(404);
    expect(answer.body).toMatchObject({ code: 'resource_not_found' });
  });

  it("OPA's query parameters change nothing", async () => {
    expect((await send({ body }, {}, `${PATH}?pretty&metrics&explain=full`)).body).toEqual({ result: true });
  });

  it('serves another path when told', async () => {
    expect((await send({ body }, { path: '/v1/data/shop/allow' }, '/v1/data/shop/allow')).body).toEqual({
      result: true,
    });
  });

  it.each<[string, Partial<DecisionEndpointOptions>]>([
    ['path', { path: 'v1/data/authz/allow' }],
    ['token', { token: '' }],
    ['token', { token: 'two words' }],
  ])('a wrong %s is found at construction', (field, options) => {
    expect(() => createDecisionEndpoint({ pdp: engine, environment: noon, ...options })).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', field }),
    );
  });
});
