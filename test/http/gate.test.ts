import diagnostics from 'node:diagnostics_channel';
import {
  type Authenticator,
  allow,
  DECISION_CHANNEL,
  type Decision,
  type DecisionEvent,
  DoorwardError,
  deny,
  environmentSource,
  type PolicyDecisionPoint,
  type Principal,
} from 'doorward';
import { createGate, createRouter, type GateOptions, type GuardedHandler, json } from 'doorward/http';
import { contractRoles } from 'doorward/rbac';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { INFO } from './support.ts';

const NOW = 1_800_000_000_000;
const environment = environmentSource({ clock: () => NOW });

const viewer: Principal = { id: 'u-viewer', roles: ['viewer'], attributes: {} };
const admin: Principal = { id: 'u-admin', roles: ['admin'], attributes: {} };
const authenticate: Authenticator = (token) => {
  if (token === 'viewer') return { ok: true, principal: viewer };
  if (token === 'admin') return Promise.resolve({ ok: true, principal: admin });
  if (token === 'outage') throw new DoorwardError('SERVICE_UNAVAILABLE');
  return { ok: false, reason: 'signature' };
};

const gateWith = (options: Partial<GateOptions> = {}) =>
  createGate({ authenticate, pdp: contractRoles, environment, ...options });

function request(token?: string, path = '/things/1'): Request {
  return new Request(`http://localhost${path}`, {
    headers: { 'user-agent': 'test', ...(token !== undefined && { authorization: `Bearer ${token}` }) },
  });
}

/** A handler that counts how often it was reached. */
function counted() {
  const handler = vi.fn<GuardedHandler>((_request, _info, { principal }) => json(200, { id: principal.id }));
  return { handler, calls: () => handler.mock.calls.length };
}

afterEach(() => vi.useRealTimers());

describe('authenticated', () => {
  it('runs the handler with the principal, the parameters and the facts of the request', async () => {
    const seen: unknown[] = [];
    const gated = gateWith().authenticated((_request, _info, access) => {
      seen.push(access);
      return json(200, {});
    });
    const response = await createRouter({ 'GET /things/{id}': gated })(request('viewer'), INFO);
    expect(response.status).toBe(200);
    expect(seen).toEqual([
      {
        principal: viewer,
        params: { id: '1' },
        environment: { time: NOW, hour: 8, ip: INFO.ip, userAgent: 'test' },
      },
    ]);
  });

  it('gives every request a principal object of its own, since decisions are remembered by it', async () => {
    const seen: unknown[] = [];
    const gated = gateWith().authenticated((_request, _info, { principal }) => {
      seen.push(principal);
      return json(200, {});
    });
    await gated(request('viewer'), INFO);
    await gated(request('viewer'), INFO);
    expect(seen[0]).not.toBe(seen[1]);
  });

  it.each([
    [undefined, 'Bearer'],
    ['bad', 'Bearer error="invalid_token"'],
    ['two tokens', 'Bearer error="invalid_token"'],
  ])('answers token %j with 401 and %s', async (token, challenge) => {
    const { handler, calls } = counted();
    for (const bodyKey of ['error', 'detail'] as const) {
      const response = await gateWith().authenticated(handler, { bodyKey })(request(token), INFO);
      expect(response.status).toBe(401);
      expect(response.headers.get('www-authenticate')).toBe(challenge);
      expect(await response.json()).toEqual({ [bodyKey]: 'Not authenticated' });
    }
    expect(calls()).toBe(0);
  });

  it('an authenticator that cannot find out is 503, never anonymous and never 401', async () => {
    const { handler, calls } = counted();
    for (const gated of [gateWith().authenticated(handler), gateWith().optional(() => json(200, {}))]) {
      expect((await createRouter({ 'GET /things/1': gated })(request('outage'), INFO)).status).toBe(503);
    }
    expect(calls()).toBe(0);
  });

  it.each([undefined, null, {}, { ok: 1, principal: admin }, { ok: 'true', principal: admin }, true])(
    'an authenticator that answers %j lets nobody through',
    async (answer) => {
      const { handler, calls } = counted();
      const gated = gateWith({ authenticate: () => answer as never }).authenticated(handler);
      expect((await gated(request('viewer'), INFO)).status).toBe(401);
      expect(calls()).toBe(0);
    },
  );
});

describe('optional', () => {
  it('lets anonymous callers and good tokens through, and refuses a bad token', async () => {
    const gated = gateWith().optional((_request, _info, { principal }) => json(200, { id: principal?.id ?? null }));
    expect(await (await gated(request(), INFO)).json()).toEqual({ id: null });
    expect(await (await gated(request('viewer'), INFO)).json()).toEqual({ id: 'u-viewer' });
    expect((await gated(request('bad'), INFO)).status).toBe(401);
  });
});

describe('requirePermission', () => {
  it('answers 401 without identity, 403 without the permission, and else runs the handler', async () => {
    const { handler, calls } = counted();
    const gated = gateWith().requirePermission('delete', handler);
    expect((await gated(request(), INFO)).status).toBe(401);
    const refused = await gated(request('viewer'), INFO);
    expect(refused.status).toBe(403);
    expect(await refused.json()).toEqual({ error: 'Forbidden', message: 'Requires permission: delete' });
    expect(refused.headers.get('www-authenticate')).toBe('Bearer error="insufficient_scope"');
    expect(calls()).toBe(0);
    expect((await gated(request('admin'), INFO)).status).toBe(200);
    expect(calls()).toBe(1);
  });

  it.each([undefined, '', null, 5, 'unknown', 'Delete', 'delete ', 'constructor', '__proto__', ['delete']])(
    'AZ-05 is refused when it is built with the permission %j',
    (permission) => {
      expect(() => gateWith().requirePermission(permission as never, () => json(200, {}))).toThrow(
        expect.objectContaining({ code: 'CONFIG_INVALID', field: 'permission' }),
      );
    },
  );

  it.each([undefined, '', 5])('AZ-05 refuses %j over a decision point without a vocabulary too', (permission) => {
    const pdp = { decide: () => allow('rule') };
    expect(() => gateWith({ pdp }).requirePermission(permission as never, () => json(200, {}))).toThrow('permission');
    expect(() => gateWith({ pdp }).requirePermission('anything', () => json(200, {}))).not.toThrow();
  });
});

describe('a decision point that misbehaves', () => {
  const answers: [string, () => unknown][] = [
    ['throws', () => thrown()],
    ['rejects', () => Promise.reject(new Error('down'))],
    ['answers undefined', () => undefined],
    ['answers null', () => null],
    ['answers true', () => true],
    ['answers "true"', () => 'true'],
    ['answers 1', () => 1],
    ['answers {}', () => ({})],
    ['answers {allowed: 1}', () => ({ allowed: 1 })],
    ['answers {allowed: "true"}', () => ({ allowed: 'true' })],
    ['answers a promise of a list', () => Promise.resolve([])],
    ['answers a promise of true', () => Promise.resolve(true)],
    ['answers a promise of undefined', () => Promise.resolve(undefined)],
    ['says that it was late', () => deny('timeout')],
  ];
  const thrown = (): never => {
    throw new Error('down');
  };

  it.each(answers)('AZ-06 that %s is 503 and the handler is not reached', async (_, decide) => {
    const { handler, calls } = counted();
    const pdp: PolicyDecisionPoint = { decide: decide as () => Decision };
    const gate = gateWith({ pdp });
    const decision = { action: 'read', resource: () => ({ type: 'thing', attributes: {} }) };
    for (const gated of [gate.requirePermission('read', handler), gate.requireDecision(decision, handler)]) {
      const response = await gated(request('admin'), INFO);
      expect(response.status).toBe(503);
      expect(await response.json()).toEqual({ error: 'Service Unavailable' });
    }
    expect(calls()).toBe(0);
  });

  it('AZ-06 a plain no is 403, also as a promise', async () => {
    for (const decide of [() => deny('no_rule'), async () => deny('no_rule')]) {
      const gated = gateWith({ pdp: { decide } }).requirePermission('read', () => json(200, {}));
      expect((await gated(request('admin'), INFO)).status).toBe(403);
    }
  });

  it('AZ-06 one that never answers is 503 after two seconds', async () => {
    vi.useFakeTimers();
    const { handler, calls } = counted();
    const pdp = { decide: () => new Promise<Decision>(() => {}) };
    let status = 0;
    const answered = gateWith({ pdp })
      .requirePermission('read', handler)(request('admin'), INFO)
      .then((response) => {
        status = response.status;
      });
    await vi.advanceTimersByTimeAsync(1_999);
    expect(status).toBe(0);
    await vi.advanceTimersByTimeAsync(1);
    await answered;
    expect([status, calls()]).toEqual([503, 0]);
  });
});

describe('requireDecision', () => {
  const own: PolicyDecisionPoint = {
    decide: ({ subject, resource }) => (resource.attributes.owner === subject.id ? allow('rule') : deny('no_rule')),
  };

  it('decides about the resource it loads, and hands it to the handler', async () => {
    const gated = gateWith().requireDecision(
      {
        action: 'read',
        pdp: own,
        resource: async (_request, { id = '' }) => ({ type: 'thing', id, attributes: { owner: 'u-viewer' } }),
      },
      (_request, _info, { resource }) => json(200, resource),
    );
    const call = createRouter({ 'GET /things/{id}': gated });
    const answer = await call(request('viewer'), INFO);
    expect(await answer.json()).toEqual({ type: 'thing', id: '1', attributes: { owner: 'u-viewer' } });
    const refused = await call(request('admin'), INFO);
    expect(refused.status).toBe(403);
    expect(await refused.json()).toEqual({ error: 'Forbidden', message: 'Not allowed: read' });
  });

  it('answers 401 before it looks for the resource', async () => {
    const resource = vi.fn(() => ({ type: 'thing', attributes: {} }));
    const gated = gateWith().requireDecision({ action: 'read', pdp: own, resource }, () => json(200, {}));
    expect((await gated(request(), INFO)).status).toBe(401);
    expect((await gated(request('bad'), INFO)).status).toBe(401);
    expect(resource).not.toHaveBeenCalled();
  });

  it('a resource that cannot be loaded is the error of its loader, and nobody gets through', async () => {
    const { handler, calls } = counted();
    const resource = () => Promise.reject(new DoorwardError('SERVICE_UNAVAILABLE'));
    const gated = gateWith().requireDecision({ action: 'read', resource }, handler);
    expect((await createRouter({ 'GET /things/1': gated })(request('admin'), INFO)).status).toBe(503);
    expect(calls()).toBe(0);
  });

  it.each([undefined, '', 5])('AZ-05 is refused when it is built with the action %j', (action) => {
    const resource = () => ({ type: 'thing', attributes: {} });
    expect(() => gateWith().requireDecision({ action: action as never, resource }, () => json(200, {}))).toThrow(
      'action',
    );
  });
});

describe('maxAuthAgeSeconds', () => {
  const aged = (authTime: number): GateOptions['authenticate'] => {
    const session = { id: 's', tokenId: 't', authTime, expiresAt: NOW / 1_000 + 60, amr: ['pwd'] };
    return () => ({ ok: true, principal: { ...admin, session } });
  };
  const status = async (authenticateAs: GateOptions['authenticate']) => {
    const gated = gateWith({ authenticate: authenticateAs }).requirePermission('read', () => json(200, {}), {
      maxAuthAgeSeconds: 900,
    });
    return gated(request('x'), INFO);
  };

  it('lets a login of that age through and asks for a newer one a second later', async () => {
    expect((await status(aged(NOW / 1_000 - 900))).status).toBe(200);
    const late = await status(aged(NOW / 1_000 - 901));
    expect(late.status).toBe(401);
    expect(late.headers.get('www-authenticate')).toBe(
      'Bearer error="insufficient_user_authentication", ' +
        'error_description="A more recent or stronger login is required", max_age="900"',
    );
    expect(await late.json()).toEqual({ error: 'A more recent or stronger login is required' });
  });

  it('a principal without a login, or with one of unknown time, has not logged in recently', async () => {
    for (const unknown of [() => ({ ok: true, principal: admin }) as const, aged(Number.NaN)]) {
      const response = await status(unknown);
      expect(response.status).toBe(401);
      expect(response.headers.get('www-authenticate')).toContain('insufficient_user_authentication');
    }
  });

  it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])('refuses %d seconds when it is built', (seconds) => {
    expect(() => gateWith().authenticated(() => json(200, {}), { maxAuthAgeSeconds: seconds })).toThrow(
      'maxAuthAgeSeconds',
    );
  });
});

it('publishes every decision with the route it was enforced at', async () => {
  const events: DecisionEvent[] = [];
  const listen = (event: unknown) => events.push(event as DecisionEvent);
  diagnostics.subscribe(DECISION_CHANNEL, listen);
  const call = createRouter({ 'GET /things/{id}': gateWith().requirePermission('delete', () => json(200, {})) });
  await call(request('viewer'), INFO);
  await call(request('admin'), INFO);
  await call(request(), INFO);
  diagnostics.unsubscribe(DECISION_CHANNEL, listen);
  expect(
    events.map(({ point, request: { subject, action }, decision }) => [point, subject.id, action, decision.allowed]),
  ).toEqual([
    ['GET /things/{id}', 'u-viewer', 'delete', false],
    ['GET /things/{id}', 'u-admin', 'delete', true],
  ]);
});

it.each([
  ['authenticate', { authenticate: undefined }],
  ['pdp', { pdp: {} }],
  ['environment', { environment: null }],
  ['decisionTimeoutMs', { decisionTimeoutMs: Number.POSITIVE_INFINITY }],
])('createGate refuses a useless %s', (field, options) => {
  expect(() => gateWith(options as never)).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID', field }));
});
