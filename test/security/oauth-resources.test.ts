import { createHash, generateKeyPairSync, randomUUID } from 'node:crypto';
import { environmentSource, narrowByScopes } from 'doorward';
import { createAccounts, type NewGrant } from 'doorward/accounts';
import { createGate, createRouter, type Handler, json } from 'doorward/http';
import { createClientRegistry } from 'doorward/oauth';
import { createBcryptHasher } from 'doorward/passwords';
import { contractRoles } from 'doorward/rbac';
import { createMemoryAccountStore, createMemoryRateLimitStore, createMemorySessionStore } from 'doorward/stores/memory';
import { createTokenIssuer, createTokenVerifier, privateKey, secretKey } from 'doorward/tokens';
import { calculateJwkThumbprint, exportJWK, SignJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import { createServer } from './oauth-support.ts';

const ISSUER = 'https://login.example.org';
const API = 'https://api.example.org';
const REPORTS = 'https://reports.example.org';
const SECRET = 'kE2v9pXr7QmZt4Ls8WnYb3Hd6Jc1Gf5A';
const START = Date.UTC(2026, 0, 1, 12);
const key = privateKey(generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey, { kid: 'k1' });
const hasher = createBcryptHasher({ cost: 4, workers: 1 });
const secret = { token_endpoint_auth_method: 'client_secret_basic', client_secret: SECRET } as const;
const callback = { redirect_uris: ['https://app.example.org/callback'] };

/** A whole server with a resource behind a gate, and an account that has logged in nowhere yet. */
async function openServer(changes: { readonly introspectionsPerMinute?: number } = {}) {
  const time = { now: START };
  const clock = (): number => time.now;
  const first = secretKey('Jc1Gf5AkE2v9pXr7QmZt4Ls8WnYb3Hd6');
  const accounts = createAccounts({
    store: createMemoryAccountStore(),
    limits: createMemoryRateLimitStore(),
    sessions: createMemorySessionStore(),
    hasher,
    issuer: createTokenIssuer({ key: first, clock }),
    verifier: createTokenVerifier({ keys: [first], clock }),
    roles: contractRoles.roles,
    defaultRoles: ['editor'],
    clock,
  });
  const server = createServer({
    issuer: ISSUER,
    accounts,
    clients: createClientRegistry([
      { client_id: 'spa', token_endpoint_auth_method: 'none', ...callback, scope: 'openid email create' },
      { client_id: 'web', ...secret, ...callback, scope: 'openid create' },
      { client_id: 'api', ...secret, grant_types: ['client_credentials'], scope: 'create', introspects: [API] },
      { client_id: 'batch', ...secret, scope: 'create update', roles: ['editor'] },
    ]),
    keys: { keys: [key], active: key },
    scopes: { create: 'Create posts', update: 'Change posts' },
    resource: API,
    resources: [API, REPORTS],
    clock,
    ...changes,
  });
  const gate = createGate({
    authenticate: server.authenticate,
    pdp: narrowByScopes(contractRoles),
    environment: environmentSource({ clock }),
  });
  const handler: Handler = createRouter({
    ...server.routes,
    'POST /posts': gate.requirePermission('create', (_request, _info, { principal }) =>
      json(200, { id: principal.id }),
    ),
    'PATCH /posts': gate.requirePermission('update', () => json(200, {})),
  });
  const password = 'a good passphrase';
  const { id } = await accounts.register({ username: 'ada', password, email: 'ada@example.org' });

  /** What the token endpoint gives to a client for an account. */
  const grant = async (clientId = 'spa', changes: Partial<NewGrant> = {}, claims: Record<string, unknown> = {}) => {
    const sid = randomUUID();
    const scopes = ['openid', 'create'];
    const login = { authTime: clock() / 1_000, amr: ['pwd'], acr: 'aal1', startedAt: clock(), refreshToken: true };
    const audience = [API];
    const asked = { sessionId: sid, accountId: id, clientId, scopes, audience, ...login, ...changes };
    const started = await accounts.grants.start(asked);
    const issuer = createTokenIssuer({ key, issuer: ISSUER, typ: 'at+jwt', ttlSeconds: 3_600, clock });
    const said = { sub: id, uid: id, sid, client_id: clientId, scope: asked.scopes.join(' '), ...claims };
    return { token: issuer.issue({ audience: asked.audience, ...said }), refreshToken: started?.refreshToken ?? '' };
  };

  const call = async (method: string, path: string, headers: Record<string, string> = {}, body?: string) => {
    const request = new Request(ISSUER + path, { method, headers, ...(body !== undefined && { body }) });
    const response = await handler(request, { requestId: 'r1', ip: '192.0.2.1' });
    return { status: response.status, headers: response.headers, text: await response.text() };
  };

  /** Posts a form as a client that proves itself, or with its name alone. */
  const post = (path: string, form: Readonly<Record<string, string>>, client?: string) => {
    const basic = `Basic ${Buffer.from(`${client}:${SECRET}`).toString('base64')}`;
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    const headers = client === undefined ? type : { ...type, authorization: basic };
    return call('POST', path, headers, new URLSearchParams(form).toString());
  };

  const introspect = async (token: string, client: string, hint?: string): Promise<Record<string, unknown>> => {
    const form = { token, ...(hint !== undefined && { token_type_hint: hint }) };
    const { status, text } = await post('/oauth/introspect', form, client);
    expect(status).toBe(200);
    return JSON.parse(text);
  };

  return { accounts, server, time, id, password, grant, call, post, introspect };
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

describe('introspection', () => {
  it('OAU-32 says active of nothing but a live access or refresh token, whatever the hint', async () => {
    const { accounts, grant, introspect, post, password } = await openServer();
    const [live, revoked, ended] = [await grant('web'), await grant('web'), await grant('web')];
    await post('/oauth/revoke', { token: revoked.token }, 'web');
    await post('/oauth/revoke', { token: ended.refreshToken }, 'web');
    const login = await accounts.login({ username: 'ada', password }, {}, { refreshToken: true });
    const idToken = createTokenIssuer({ key, issuer: ISSUER, audience: 'web' }).issue({ sub: 'x' });
    const others = [login.accessToken, login.refreshToken ?? '', idToken, 'x'.repeat(43), 'a.b.c'];
    for (const hint of [undefined, 'access_token', 'refresh_token', 'nonsense']) {
      expect(await introspect(live.token, 'web', hint)).toMatchObject({ active: true, client_id: 'web' });
      expect(await introspect(live.refreshToken, 'web', hint)).toMatchObject({ active: true, client_id: 'web' });
      for (const token of [revoked.token, ended.token, ended.refreshToken, ...others]) {
        expect(await introspect(token, 'web', hint)).toEqual({ active: false });
      }
    }
  });

  it('OAU-33 tells a client of its own tokens and of those for its audiences only', async () => {
    const { grant, introspect, server } = await openServer();
    const [ofSpa, forReports] = [await grant('spa'), await grant('spa', { audience: [REPORTS] })];
    expect(await introspect(ofSpa.token, 'api')).toEqual(await server.introspect(ofSpa.token));
    for (const { token, refreshToken } of [ofSpa, forReports]) {
      expect(await introspect(token, 'web')).toEqual({ active: false });
      expect(await introspect(refreshToken, 'api')).toEqual({ active: false });
    }
    expect(await introspect(forReports.token, 'api')).toEqual({ active: false });
  });

  it('OAU-34 takes one token, in a form, by POST', async () => {
    const { call, post } = await openServer();
    const authorization = `Basic ${Buffer.from(`api:${SECRET}`).toString('base64')}`;
    const form = { authorization, 'content-type': 'application/x-www-form-urlencoded' };
    const asJson = { authorization, 'content-type': 'application/json' };
    expect((await call('GET', '/oauth/introspect?token=x', { authorization })).status).toBe(405);
    expect(await call('POST', '/oauth/introspect', asJson, '{"token":"x"}')).toMatchObject({ status: 400 });
    const invalid = expect.stringContaining('"invalid_request"');
    expect(await call('POST', '/oauth/introspect?token=x', form, '')).toMatchObject({ status: 400, text: invalid });
    expect(await call('POST', '/oauth/introspect', form, 'token=a&token=b')).toMatchObject({
      status: 400,
      text: invalid,
    });
    expect(await post('/oauth/introspect', {}, 'api')).toMatchObject({ status: 400, text: invalid });
    const anonymous = expect.stringContaining('"invalid_client"');
    expect(await post('/oauth/introspect', { token: 'x' })).toMatchObject({ status: 401, text: anonymous });
    expect(await post('/oauth/introspect', { token: 'x', client_id: 'spa' })).toMatchObject({
      status: 401,
      text: anonymous,
    });
  });

  it('OAU-35 tells what RFC 7662 names, and neither roles nor addresses', async () => {
    const { grant, introspect, id } = await openServer();
    const { token } = await grant('spa');
    const told = await introspect(token, 'api');
    const times = { exp: START / 1_000 + 3_600, iat: START / 1_000, auth_time: START / 1_000 };
    expect(told).toEqual({
      ...{ active: true, iss: ISSUER, sub: id, aud: API, scope: 'openid create', client_id: 'spa', username: 'ada' },
      ...{ uid: id, token_type: 'Bearer', jti: expect.any(String), acr: 'aal1', amr: ['pwd'], ...times },
    });
  });

  it('DOS-16 is limited for each client', async () => {
    const { post } = await openServer({ introspectionsPerMinute: 2 });
    const ask = (client: string) => post('/oauth/introspect', { token: 'x' }, client);
    expect([(await ask('api')).status, (await ask('api')).status]).toEqual([200, 200]);
    const refused = await ask('api');
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60']);
    expect((await ask('web')).status).toBe(200);
  });
});

describe('a token at the resource', () => {
  it('is good until its account is disabled or removed, or its password changed', async () => {
    const { accounts, grant, call, introspect, id, password, time } = await openServer();
    const { token } = await grant();
    expect(await call('POST', '/posts', bearer(token))).toMatchObject({ status: 200, text: JSON.stringify({ id }) });
    await accounts.disable(id);
    expect((await call('POST', '/posts', bearer(token))).status).toBe(401);
    expect(await introspect(token, 'api')).toEqual({ active: false });
    await accounts.enable(id);
    time.now += 1_000;
    const other = await grant();
    expect((await call('POST', '/posts', bearer(other.token))).status).toBe(200);
    time.now += 1_000;
    await accounts.changePassword(id, { current: password, next: 'another good passphrase' });
    expect((await call('POST', '/posts', bearer(other.token))).status).toBe(401);
    time.now += 1_000;
    const last = await grant();
    expect((await call('POST', '/posts', bearer(last.token))).status).toBe(200);
    await accounts.remove(id);
    expect((await call('POST', '/posts', bearer(last.token))).status).toBe(401);
    expect(await introspect(last.refreshToken, 'api')).toEqual({ active: false });
  });

  it('OAU-38 does no more than its scopes', async () => {
    const { grant, call } = await openServer();
    const { token } = await grant();
    const { status, headers } = await call('PATCH', '/posts', bearer(token));
    expect(status).toBe(403);
    expect(headers.get('www-authenticate')).toContain('error="insufficient_scope", scope="update"');
  });

  it('is refused when it is for another resource', async () => {
    const { grant, call } = await openServer();
    const { token } = await grant('spa', { audience: [REPORTS] });
    expect((await call('POST', '/posts', bearer(token))).status).toBe(401);
    expect((await call('GET', '/oauth/userinfo', bearer(token))).status).toBe(200);
  });

  it('OAU-37 of a client that acts for itself is nobody of the accounts', async () => {
    const { call, post } = await openServer();
    const answer = JSON.parse((await post('/oauth/token', { grant_type: 'client_credentials' }, 'batch')).text);
    const token: string = answer.access_token;
    expect(await call('POST', '/posts', bearer(token))).toMatchObject({ status: 200, text: '{"id":"client:batch"}' });
    expect((await call('GET', '/oauth/userinfo', bearer(token))).status).toBe(403);
    await post('/oauth/revoke', { token }, 'web');
    expect((await call('POST', '/posts', bearer(token))).status).toBe(200);
    await post('/oauth/revoke', { token }, 'batch');
    expect((await call('POST', '/posts', bearer(token))).status).toBe(401);
  });

  it('OAU-39 that is bound to a key is good with that key only', async () => {
    const { grant, call, server } = await openServer();
    const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const jwk = await exportJWK(pair.publicKey);
    const { token } = await grant('spa', {}, { cnf: { jkt: await calculateJwkThumbprint(jwk) } });
    const ath = createHash('sha256').update(token).digest('base64url');
    const url = `${API}/posts`;
    const prove = (claims: object = {}) =>
      new SignJWT({ jti: randomUUID(), htm: 'POST', htu: url, iat: START / 1_000, ath, ...claims })
        .setProtectedHeader({ typ: 'dpop+jwt', alg: 'ES256', jwk })
        .sign(pair.privateKey);
    const isGood = async (proof: string) => {
      const dpop = { proof, method: 'POST', url: 'http://10.0.0.1/posts' };
      return (await server.authenticate(token, { dpop })).ok;
    };
    const proof = await prove();
    expect(await isGood(proof)).toBe(true);
    expect(await isGood(proof)).toBe(false);
    const wrong = [
      { htm: 'GET' },
      { htu: ISSUER },
      { iat: START / 1_000 - 301 },
      { iat: START / 1_000 + 301 },
      { ath: '' },
    ];
    for (const claims of wrong) expect(await isGood(await prove(claims))).toBe(false);
    expect((await server.authenticate(token)).ok).toBe(false);
    expect((await call('POST', '/posts', bearer(token))).status).toBe(401);
    expect((await call('GET', '/oauth/userinfo', bearer(token))).status).toBe(401);
  });
});

describe('revocation', () => {
  it('answers the same for every token, and ends only what is its own', async () => {
    const { grant, post, introspect } = await openServer();
    const { token, refreshToken } = await grant('web');
    const answers = [];
    for (const text of [token, refreshToken, 'unknown', 'x'.repeat(43)]) {
      answers.push(await post('/oauth/revoke', { token: text, client_id: 'spa' }));
    }
    for (const { status, text, headers } of answers) {
      expect([status, text, headers.get('cache-control')]).toEqual([200, '', 'no-store']);
    }
    expect(await introspect(token, 'web')).toMatchObject({ active: true });
    await post('/oauth/revoke', { token, token_type_hint: 'refresh_token' }, 'web');
    expect(await introspect(token, 'web')).toEqual({ active: false });
    expect(await introspect(refreshToken, 'web')).toMatchObject({ active: true });
    await post('/oauth/revoke', { token: refreshToken, token_type_hint: 'access_token' }, 'web');
    expect(await introspect(refreshToken, 'web')).toEqual({ active: false });
  });
});
