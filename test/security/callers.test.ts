import { once } from 'node:events';
import { makeExecutableSchema } from '@graphql-tools/schema';
import {
  type Authenticator,
  allow,
  anyOf,
  type Decision,
  DoorwardError,
  deny,
  environmentSource,
  narrowByScopes,
  type PolicyDecisionPoint,
  type Principal,
  publishDecision,
  requireFactor,
  requireRecentAuth,
} from 'doorward';
import { createApiKeys } from 'doorward/api-keys';
import { createJsonLinesSink } from 'doorward/audit';
import { authDirectives, protectSchema } from 'doorward/graphql';
import { type AuthenticatedOptions, createGate, createRouter, json } from 'doorward/http';
import { byName, createCertificateAuthenticator } from 'doorward/mtls';
import { contractRoles } from 'doorward/rbac';
import { createMemoryApiKeyStore } from 'doorward/stores/memory';
import { createGraphQLSockets, type GraphQLSocketsOptions } from 'doorward/use/graphql-ws';
import { createOpenTelemetryBridge } from 'doorward/use/opentelemetry';
import { buildSchema, graphql } from 'graphql';
import { afterEach, describe, expect, it } from 'vitest';
import WebSocket, { type ClientOptions } from 'ws';
import { eventually } from '../eventually.ts';
import type { Certified } from '../mtls/certificates.ts';
import { openAda } from '../mtls/open-ada.ts';
import { askTls, authority, billing, expired, impostor, reports, serveTls } from '../mtls/tls-support.ts';
import { bearerPayload, type Hall, openHall } from '../use/sockets-support.ts';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const NOW = 1_800_000_000_000;
const INFO = { requestId: 'r-1', ip: '192.0.2.7' };
const admin: Principal = { id: 'u-1', roles: ['admin'], attributes: {} };

describe('an API key', () => {
  const open = (subject: unknown, clock: () => number = () => NOW) =>
    createApiKeys({
      store: createMemoryApiKeyStore(),
      subjectOf: () => subject as Principal,
      scopes: ['create', 'delete'],
      clock,
    });

  it.each([Number.NaN, Number.POSITIVE_INFINITY])('with an end is not good while the clock says %s', async (broken) => {
    let now = NOW;
    const apiKeys = open(admin, () => now);
    const expiresAt = new Date(NOW + 60_000).toISOString();
    const { key } = await apiKeys.create({ accountId: 'u-1', name: 'ci', scopes: [], expiresAt });
    expect((await apiKeys.authenticate(key)).ok).toBe(true);
    now = broken;
    expect(await apiKeys.authenticate(key)).toEqual({ ok: false, reason: 'expired' });
  });

  it('outlives a moment at which the clock told no time', async () => {
    let now = NOW;
    const apiKeys = open(admin, () => now);
    const { key } = await apiKeys.create({ accountId: 'u-1', name: 'ci', scopes: [] });
    now = Number.NaN;
    await apiKeys.authenticate(key);
    now = NOW;
    expect((await apiKeys.authenticate(key)).ok).toBe(true);
  });

  it.each([
    ['a text that contains the name of one', 'undelete'],
    ['null', null],
    ['an object', { delete: true }],
  ])('is given no scope by a subject whose scopes are %s', async (_, scopes) => {
    const apiKeys = open({ ...admin, scopes });
    const { key } = await apiKeys.create({ accountId: 'u-1', name: 'ci', scopes: ['delete'] });
    expect(await apiKeys.authenticate(key)).toEqual({ ok: true, principal: { ...admin, scopes: [] } });
  });
});

describe('a client certificate', () => {
  const certificate = { thumbprint: 't', subject: {}, names: ['URI:a'], notAfter: NOW };

  it('is another principal with every request: decisions are remembered by the object', async () => {
    const authenticate = createCertificateAuthenticator({ principalOf: byName({ 'URI:a': admin }), clock: () => NOW });
    const [first, second] = await Promise.all([authenticate({ certificate }), authenticate({ certificate })]);
    if (!first?.ok || !second?.ok) throw new Error('refused');
    expect(first.principal).toEqual(admin);
    expect(first.principal).not.toBe(second.principal);
  });
});

describe('scopes', () => {
  it.each([
    ['behind a policy', (roles: PolicyDecisionPoint, policy: PolicyDecisionPoint) => anyOf(policy, roles)],
    ['before a policy', (roles: PolicyDecisionPoint, policy: PolicyDecisionPoint) => anyOf(roles, policy)],
  ])('a decision point that is narrowed %s is not turned round by "not"', async (_, combine) => {
    const policy: PolicyDecisionPoint = { decide: () => deny('no_rule') };
    const typeDefs = 'type Query { restricted: String @auth(rule: { not: { permission: "delete" } }) }';
    const schema = protectSchema(
      makeExecutableSchema({
        typeDefs: [authDirectives(), typeDefs],
        resolvers: { Query: { restricted: () => 'told' } },
      }),
      { pdp: combine(narrowByScopes(contractRoles), policy) },
    );
    const ask = async (principal: Principal) => {
      const auth = { principal, environment: environmentSource() };
      return (await graphql({ schema, source: '{ restricted }', contextValue: { auth } })).data?.restricted;
    };
    expect(await ask({ ...admin, roles: ['viewer'] })).toBe('told');
    expect(await ask(admin)).toBeNull();
    expect(await ask({ ...admin, scopes: [] })).toBeNull();
  });

  it('a client learns which scope would do, whatever else was asked', async () => {
    const policy: PolicyDecisionPoint = { decide: () => deny('no_rule') };
    const failing: PolicyDecisionPoint = { decide: () => deny('unavailable') };
    const request = {
      subject: { ...admin, scopes: [] },
      action: 'delete',
      resource: { type: 'post', attributes: {} },
      environment: { time: NOW },
    };
    const narrowed = narrowByScopes(contractRoles);
    expect(await anyOf(policy, narrowed).decide(request)).toMatchObject({ allowed: false, scope: 'delete' });
    expect(await anyOf(policy, narrowed, policy).decide(request)).toMatchObject({ allowed: false, scope: 'delete' });
    expect(await anyOf(narrowed, failing, policy).decide(request)).toEqual(deny('unavailable'));
    expect(await anyOf(failing, narrowed).decide(request)).toEqual(deny('unavailable'));
  });
});

describe('an option of another name is refused, since its default may let through more', () => {
  const pdp = contractRoles;
  it.each<readonly [string, () => unknown]>([
    ['need', () => narrowByScopes(pdp, { need: () => 'all' } as object)],
    [
      'unprotectedFields',
      () => protectSchema(buildSchema('type Query { a: Int }'), { pdp, unprotectedFields: 'deny' } as never),
    ],
    ['decision', () => createOpenTelemetryBridge({ decision: 'none' } as object)],
    [
      'authenticateCallers',
      () =>
        createGate({
          authenticate: () => ({ ok: false, reason: '' }),
          pdp,
          authenticateCallers: () => undefined,
        } as never),
    ],
  ])('%s', (field, make) => {
    expect(make).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID', field }));
  });
});

it.each([null, undefined])('whoever is %s is not authenticated, and no matter of a better login', (nobody) => {
  const refused = expect.objectContaining({ code: 'AUTH_NOT_AUTHENTICATED' });
  expect(() => requireRecentAuth(nobody as undefined, 900, NOW)).toThrow(refused);
  expect(() => requireFactor(nobody as undefined, ['aal2'])).toThrow(refused);
});

describe('a gate', () => {
  const session = { id: 's1', tokenId: 't1', authTime: NOW / 1_000 - 901, expiresAt: NOW / 1_000 + 60, amr: ['pwd'] };
  const gate = createGate({
    authenticate: () => ({ ok: true, principal: { ...admin, session } }),
    pdp: contractRoles,
    environment: environmentSource({ clock: () => NOW }),
  });
  const request = () => new Request('http://localhost/', { headers: { authorization: 'Bearer t' } });

  it.each([
    ['maxAge', { maxAge: 900 }],
    ['acrValues', { acrValues: ['aal2'] }],
    ['maxAuthAge', { maxAuthAge: 900 }],
    ['maxAuthAgeSeconds', { maxAuthAgeSeconds: undefined }],
    ['acr', { acr: undefined }],
    ['bodyKey', { bodyKey: 'message' }],
  ])('is not built with %s as in %j, which would ask for nothing', (field, options) => {
    const ask = options as unknown as AuthenticatedOptions;
    const handler = () => json(200, {});
    const refused = expect.objectContaining({ code: 'CONFIG_INVALID', field });
    expect(() => gate.authenticated(handler, ask)).toThrow(refused);
    expect(() => gate.requirePermission('read', handler, ask)).toThrow(refused);
    const resource = () => ({ type: 'post', attributes: {} });
    expect(() => gate.requireDecision({ ...ask, action: 'read', resource }, handler)).toThrow(refused);
  });

  it('answers a 401 of its handler in its own form, and leaves other errors to the router', async () => {
    const detailed = { bodyKey: 'detail' } as const;
    const handler = createRouter({
      'GET /recent': gate.authenticated((_request, _info, { principal, environment }) => {
        requireRecentAuth(principal, 900, environment.time);
        return json(200, {});
      }, detailed),
      'GET /resource': gate.requireDecision(
        {
          action: 'read',
          resource: () => {
            throw new DoorwardError('AUTH_NOT_AUTHENTICATED');
          },
          ...detailed,
        },
        () => json(200, {}),
      ),
      'GET /missing': gate.authenticated(() => {
        throw new DoorwardError('HTTP_NOT_FOUND');
      }, detailed),
    });
    const ask = async (path: string) => {
      const response = await handler(new Request(`http://localhost${path}`, request()), INFO);
      return [response.status, await response.json(), response.headers.get('www-authenticate')];
    };
    expect(await ask('/recent')).toEqual([
      401,
      { detail: 'A more recent or stronger login is required' },
      expect.stringContaining('error="insufficient_user_authentication"'),
    ]);
    expect(await ask('/resource')).toEqual([401, { detail: 'Not authenticated' }, 'Bearer']);
    expect(await ask('/missing')).toEqual([404, { error: 'Not found' }, null]);
  });
});

describe('the log', () => {
  it.each([
    ['an allow that calls itself a denial', { ...allow('rule'), effect: 'deny' }, 'allow'],
    ['an allow that says no more', { allowed: true }, 'allow'],
    ['a denial that calls itself an allow', { ...deny('no_rule'), effect: 'allow' }, 'deny'],
    ['a denial that says no more', { allowed: false }, 'deny'],
    ['no answer that calls itself an allow', { ...deny('timeout'), effect: 'allow' }, 'unknown'],
  ])('tells what was obeyed: %s', async (_, decision, outcome) => {
    const lines: string[] = [];
    const sink = createJsonLinesSink({ write: (line) => void lines.push(line), decisions: 'all' });
    const resource = { type: 'post', attributes: {} };
    const request = { subject: admin, action: 'read', resource, environment: { time: NOW } };
    publishDecision({ point: 'GET /', request, decision: decision as Decision });
    await sink.close();
    expect(lines.map((line) => JSON.parse(line).outcome)).toEqual([outcome]);
  });
});

describe('a socket', () => {
  let hall: Hall;
  const open = async (options?: Partial<GraphQLSocketsOptions>): Promise<Hall> => {
    hall = await openHall(options);
    closers.push(hall.close);
    return hall;
  };
  const connectAs = (token: string) => hall.connect({ payload: bearerPayload(token) });

  it('is closed with its session, and those of other sessions of the account stay', async () => {
    await open();
    const tokens = [await hall.token(), await hall.token()];
    const principals = await Promise.all(tokens.map((token) => hall.desk.accounts.authenticate(token)));
    const [first, second] = principals.map((answer) => {
      if (!answer.ok || answer.principal.session === undefined) throw new Error('no session');
      return { id: answer.principal.id, sessionId: answer.principal.session.id };
    });
    if (first === undefined || second === undefined) throw new Error('no session');
    const [ended, kept] = [await connectAs(tokens[0] ?? ''), await connectAs(tokens[1] ?? '')];
    hall.sockets.revoke('somebody-else', first.sessionId);
    hall.sockets.revoke(first.id, 'another-session');
    hall.sockets.revoke(first.id, first.sessionId);
    expect(await ended.closed).toBe(4403);
    kept.subscribe('1', '{ who }');
    expect(await kept.until('next', '1')).toEqual({ data: { who: first.id } });
    expect(ended.received).toEqual([{ type: 'connection_ack' }]);
    hall.sockets.revoke(second.id);
    expect(await kept.closed).toBe(4403);
  });

  it.each([
    ['its account', undefined],
    ['its session', 's-1'],
  ])('that is being opened while %s is revoked does not go by the old answer', async (_, sessionId) => {
    const session = { id: 's-1', tokenId: 't', authTime: 1, expiresAt: 4_000_000_000, amr: ['pwd'] };
    let answers = 0;
    const authenticate: Authenticator = async () => {
      if (answers++ > 0) return { ok: false, reason: 'ended' };
      hall.sockets.revoke('u-1', sessionId);
      return { ok: true, principal: { ...admin, session } };
    };
    await open({ authenticate });
    expect(await (await connectAs('t')).closed).toBe(4403);
    expect(answers).toBe(2);
  });

  it('is not kept from opening by the revocations of others', async () => {
    let answers = 0;
    const authenticate: Authenticator = async () => {
      answers += 1;
      // Somebody logs out whenever somebody comes.
      if (answers < 50) hall.sockets.revoke('mallory');
      return { ok: true, principal: admin };
    };
    await open({ authenticate });
    const wire = await connectAs('t');
    expect(wire.received).toEqual([{ type: 'connection_ack' }]);
    expect(answers).toBe(1);
  });

  it('whose token may have ended is closed when the time cannot be told, and the process lives on', async () => {
    const session = { id: 's-1', tokenId: 't', authTime: 1, expiresAt: NOW / 1_000, amr: ['pwd'] };
    let asked = 0;
    await open({
      authenticate: () => ({ ok: true, principal: { ...admin, session } }),
      environment: () => {
        if (asked++ > 0) throw new Error('no clock');
        return { time: NOW - 20 };
      },
    });
    const wire = await connectAs('t');
    expect(await wire.closed).toBe(1013);
    expect(hall.errors).toEqual([new Error('no clock')]);
  });
});

describe('OAU-39 a token that is bound to a certificate, on a socket', () => {
  async function open() {
    const { accounts, credentials, close } = await openAda();
    closers.push(close);
    let token = '';
    const running = await serveTls(async (_request, info) => {
      token = (await accounts.login(credentials, info, { bindToCertificate: true })).accessToken;
      return json(200, {});
    });
    const sockets = createGraphQLSockets({
      schema: buildSchema('type Query { hello: String }'),
      server: running.server,
      authenticate: accounts.authenticate,
      environment: environmentSource(),
    });
    closers.push(
      () => running.close(),
      () => sockets.close(),
    );
    const login = await askTls(running, { client: billing });
    expect(login.status).toBe(200);
    return { port: running.port, token };
  }

  /** What the server says to a token: that the socket may stay, or the code it is closed with. */
  async function saidTo(port: number, token: string, client: Certified | undefined) {
    const pair: ClientOptions = client === undefined ? {} : { cert: client.cert, key: client.key };
    const options = { ca: authority.cert, servername: 'localhost', ...pair };
    const socket = new WebSocket(`wss://127.0.0.1:${port}/graphql`, 'graphql-transport-ws', options);
    await once(socket, 'open');
    const heard: { type: string; payload?: unknown }[] = [];
    const closed = once(socket, 'close');
    socket.on('message', (data) => heard.push(JSON.parse(data.toString())));
    socket.send(JSON.stringify({ type: 'connection_init', payload: bearerPayload(token) }));
    socket.on('error', () => undefined);
    closed.then(([code]) => heard.push({ type: String(code) }));
    await eventually(() => expect(heard).toHaveLength(1));
    if (heard[0]?.type === 'connection_ack') {
      socket.send(JSON.stringify({ type: 'subscribe', id: '1', payload: { query: '{ hello }' } }));
      await eventually(() => expect(heard).toHaveLength(3));
      socket.close();
      await closed;
    }
    return heard.map(({ type, payload }) => payload ?? type).slice(0, 2);
  }

  it('is good with that certificate, for the socket and for what runs on it, and with no other', async () => {
    const { port, token } = await open();
    expect(await saidTo(port, token, billing)).toEqual(['connection_ack', { data: { hello: null } }]);
    for (const client of [reports, expired, undefined]) {
      expect(await saidTo(port, token, client)).toEqual(['4403']);
    }
    // A forged signature may break the connection inside Node already.
    expect(await saidTo(port, token, impostor)).toEqual([expect.stringMatching(/^(4403|1006)$/)]);
  });
});
