import { createHmac, generateKeyPairSync, randomUUID } from 'node:crypto';
import { type AccountStore, createAccounts, type NewGrant, type SessionStore } from 'doorward/accounts';
import { type ConsentStore, createClientRegistry } from 'doorward/oauth';
import { createBcryptHasher } from 'doorward/passwords';
import {
  createMemoryAccountStore,
  createMemoryConsentStore,
  createMemoryRateLimitStore,
  createMemorySessionStore,
} from 'doorward/stores/memory';
import { createTokenIssuer, createTokenVerifier, privateKey, secretKey } from 'doorward/tokens';
import { afterAll, describe, expect, it } from 'vitest';
import { heardEvents } from '../audit/heard-events.ts';
import { createServer } from './oauth-support.ts';

const ISSUER = 'https://login.example.org';
const API = 'https://api.example.org';
const SECRET = 'kE2v9pXr7QmZt4Ls8WnYb3Hd6Jc1Gf5A';
const START = Date.UTC(2026, 0, 1, 12);
const GRACE_SECONDS = 10;
const IDLE_SECONDS = 86_400;
const pair = generateKeyPairSync('rsa', { modulusLength: 2_048 });
const key = privateKey(pair.privateKey, { kid: 'k1' });
const first = secretKey('Jc1Gf5AkE2v9pXr7QmZt4Ls8WnYb3Hd6');
const hasher = createBcryptHasher({ cost: 4, workers: 1 });
afterAll(() => hasher.close());
const confidential = { token_endpoint_auth_method: 'client_secret_basic', client_secret: SECRET } as const;
const callback = { redirect_uris: ['https://app.example.org/callback'] };

interface Changes {
  readonly store?: (store: AccountStore) => AccountStore;
  readonly sessions?: (store: SessionStore) => SessionStore;
  readonly consents?: (store: ConsentStore) => ConsentStore;
}

async function openServer(changes: Changes = {}) {
  const time = { now: START };
  const clock = (): number => time.now;
  const [accountStore, sessionStore] = [createMemoryAccountStore(), createMemorySessionStore()];
  const consentStore = createMemoryConsentStore();
  const accounts = createAccounts({
    store: changes.store?.(accountStore) ?? accountStore,
    limits: createMemoryRateLimitStore(),
    sessions: changes.sessions?.(sessionStore) ?? sessionStore,
    hasher,
    issuer: createTokenIssuer({ key: first, clock }),
    verifier: createTokenVerifier({ keys: [first], clock }),
    roles: ['viewer'],
    refreshGraceSeconds: GRACE_SECONDS,
    refreshIdleSeconds: IDLE_SECONDS,
    clock,
  });
  const server = createServer({
    issuer: ISSUER,
    accounts,
    clients: createClientRegistry([
      { client_id: 'web', ...confidential, ...callback, scope: 'openid create' },
      { client_id: 'other', ...confidential, ...callback, scope: 'openid create' },
      { client_id: 'own', token_endpoint_auth_method: 'none', consent: 'implied', ...callback, scope: 'create' },
    ]),
    consents: changes.consents?.(consentStore) ?? consentStore,
    keys: { keys: [key], active: key },
    resource: API,
    subject: 'username',
    clock,
  });
  const register = async (username: string) =>
    (await accounts.register({ username, password: 'a good passphrase', email: `${username}@example.org` })).id;
  const id = await register('ada');

  const sign = (claims: Record<string, unknown>, typ = 'at+jwt') =>
    createTokenIssuer({ key, issuer: ISSUER, typ, ttlSeconds: 3_600, clock }).issue({ sub: 'ada', ...claims });
  const grant = async (clientId = 'web', changes: Partial<NewGrant> = {}) => {
    const sid = randomUUID();
    const login = { authTime: clock() / 1_000, amr: ['pwd'], acr: 'aal1', startedAt: clock(), refreshToken: true };
    const asked = {
      sessionId: sid,
      accountId: id,
      clientId,
      scopes: ['create'],
      audience: [API],
      ...login,
      ...changes,
    };
    const started = await accounts.grants.start(asked);
    const claims = { uid: asked.accountId, sid, client_id: clientId, scope: 'create', audience: API };
    return { token: sign(claims), claims, refreshToken: started?.refreshToken ?? '' };
  };
  /** The whole answer of an endpoint to a confidential client. */
  const post = async (path: string, form: Record<string, string>, client = 'web') => {
    const headers = {
      'content-type': 'application/x-www-form-urlencoded',
      authorization: `Basic ${Buffer.from(`${client}:${SECRET}`).toString('base64')}`,
    };
    const request = new Request(ISSUER + path, { method: 'POST', headers, body: new URLSearchParams(form).toString() });
    const answer = await server.handler(request, { requestId: 'r1', ip: '192.0.2.1' });
    return { status: answer.status, headers: [...answer.headers], text: await answer.text() };
  };
  const isActive = async (token: string) => (await server.introspect(token)).active;
  const refresh = (token: string) => post('/oauth/token', { grant_type: 'refresh_token', refresh_token: token });
  return { accounts, server, time, id, register, sign, grant, post, isActive, refresh };
}

describe('a refresh token is active', () => {
  it('while it would be swapped, and not when it was used: what is said is what the token endpoint does', async () => {
    const { grant, refresh, isActive, time } = await openServer();
    const { refreshToken } = await grant();
    expect(await isActive(refreshToken)).toBe(true);
    const next = JSON.parse((await refresh(refreshToken)).text).refresh_token;
    time.now += GRACE_SECONDS * 1_000 - 1;
    expect([await isActive(refreshToken), await isActive(next)]).toEqual([true, true]);
    expect(JSON.parse((await refresh(refreshToken)).text).refresh_token).toBe(next);
    time.now += 1;
    expect([await isActive(refreshToken), await isActive(next)]).toEqual([false, true]);
    // Asking is no reuse: the session goes on, until the token itself comes again.
    expect((await refresh(next)).status).toBe(200);
    expect(await isActive(next)).toBe(true);
    expect((await refresh(refreshToken)).status).toBe(400);
    expect(await isActive(next)).toBe(false);
  });

  it('no longer when its successor was used, also within the grace time', async () => {
    const { grant, refresh, isActive } = await openServer();
    const { refreshToken } = await grant();
    const next = JSON.parse((await refresh(refreshToken)).text).refresh_token;
    await refresh(next);
    expect([await isActive(refreshToken), await isActive(next)]).toEqual([false, true]);
  });

  it('no longer when it has been idle for too long', async () => {
    const { grant, refresh, isActive, time } = await openServer();
    const { refreshToken } = await grant();
    time.now += IDLE_SECONDS * 1_000 - 1;
    expect(await isActive(refreshToken)).toBe(true);
    time.now += 1;
    expect(await isActive(refreshToken)).toBe(false);
    expect((await refresh(refreshToken)).status).toBe(400);
  });

  it('never because a store leaves the answer out', async () => {
    const { grant, server } = await openServer({
      sessions: (store) => ({
        ...store,
        async findByRefreshToken(...args) {
          const owner = await store.findByRefreshToken(...args);
          return owner && { ...owner, usable: undefined as never };
        },
      }),
    });
    await expect(server.introspect((await grant()).refreshToken)).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
    });
  });
});

describe('the tokens of a disabled account', () => {
  it('can be revoked, and stay dead when it is enabled again', async () => {
    const { accounts, id, grant, post, isActive } = await openServer();
    const [access, whole, kept] = [await grant(), await grant(), await grant()];
    await accounts.disable(id);
    for (const token of [access.token, whole.refreshToken, kept.token]) expect(await isActive(token)).toBe(false);
    // Another client's tokens stay as they are.
    for (const token of [kept.token, kept.refreshToken]) await post('/oauth/revoke', { token }, 'other');
    await post('/oauth/revoke', { token: access.token });
    await post('/oauth/revoke', { token: whole.refreshToken });
    await accounts.enable(id);
    expect([await isActive(access.token), await isActive(access.refreshToken)]).toEqual([false, true]);
    expect([await isActive(whole.token), await isActive(whole.refreshToken)]).toEqual([false, false]);
    expect([await isActive(kept.token), await isActive(kept.refreshToken)]).toEqual([true, true]);
  });
});

describe('introspection', () => {
  it('answers with the same bytes and headers for another’s token, an unknown one and a dead one', async () => {
    const { grant, post } = await openServer();
    const [live, dead] = [await grant(), await grant()];
    await post('/oauth/revoke', { token: dead.refreshToken });
    const answers = new Set<string>();
    for (const token of [live.token, live.refreshToken, dead.token, dead.refreshToken, 'x', 'x'.repeat(43), 'a.b.c']) {
      answers.add(JSON.stringify(await post('/oauth/introspect', { token }, 'other')));
    }
    expect([...answers]).toHaveLength(1);
    expect([...answers][0]).toContain('{\\"active\\":false}');
  });

  it('and authentication take no other kind of token, algorithm or claim for an access token', async () => {
    const { grant, server, sign, time } = await openServer();
    const { token, claims } = await grant();
    const [header, payload] = token.split('.');
    const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const signedWith = (alg: string, signature: (input: string) => string) => {
      const input = `${encoded({ alg, typ: 'at+jwt', kid: 'k1' })}.${payload}`;
      return `${input}.${signature(input)}`;
    };
    const pem = pair.publicKey.export({ type: 'spki', format: 'pem' });
    const foreign = [
      signedWith('none', () => ''),
      signedWith('HS256', (input) => createHmac('sha256', pem).update(input).digest('base64url')),
      `${header}.${encoded({ ...JSON.parse(Buffer.from(payload ?? '', 'base64url').toString()), scope: 'openid' })}.${token.split('.')[2]}`,
      createTokenIssuer({ key: first, issuer: ISSUER, typ: 'at+jwt', clock: () => time.now }).issue({
        sub: 'ada',
        ...claims,
      }),
      ...['JWT', 'logout+jwt', 'dpop+jwt'].map((typ) => sign(claims, typ)),
      ...[{ audience: 'web' }, { audience: [API, 'https://reports.example.org'] }, { scope: 'create openid' }].map(
        (changes) => sign({ ...claims, ...changes }),
      ),
      ...[{ scope: ['create'] }, { client_id: 'other' }, { client_id: 'nobody' }, { client_id: '__proto__' }].map(
        (changes) => sign({ ...claims, ...changes }),
      ),
      ...[{ sid: undefined }, { uid: undefined }, { uid: 'eve' }, { sub: 'eve' }, { sub: 'client:web' }].map(
        (changes) => sign({ ...claims, ...changes }),
      ),
    ];
    for (const text of foreign) {
      expect(await server.introspect(text)).toEqual({ active: false });
      expect((await server.authenticate(text)).ok).toBe(false);
    }
    // The first seven are none that this server signed as access tokens.
    for (const text of foreign.slice(0, 7)) expect(await server.revoke(text)).toBe(false);
    expect(await server.introspect(token)).toMatchObject({ active: true });
  });

  it('does not know the tokens of a removed account by the name that somebody else has taken since', async () => {
    const { accounts, grant, register, isActive, server, id } = await openServer();
    const { token, refreshToken } = await grant();
    await accounts.remove(id);
    await register('ada');
    expect([await isActive(token), await isActive(refreshToken)]).toEqual([false, false]);
    expect((await server.authenticate(token)).ok).toBe(false);
  });
});

describe('authentication', () => {
  it('reads the account once, so that no two states of it are mixed', async () => {
    let reads = 0;
    const { grant, server, id } = await openServer({
      store: (store) => ({
        ...store,
        byId(accountId) {
          reads += 1;
          return store.byId(accountId);
        },
      }),
    });
    const { token } = await grant();
    reads = 0;
    expect(await server.authenticate(token)).toMatchObject({
      ok: true,
      principal: { id, roles: ['viewer'], attributes: { username: 'ada', email: 'ada@example.org' } },
    });
    expect(reads).toBe(1);
  });
});

describe('taking all consents back', () => {
  it('ends the grants of clients that needed none, and no login', async () => {
    const { accounts, server, grant, id, isActive } = await openServer();
    const login = await accounts.login({ username: 'ada', password: 'a good passphrase' });
    const own = await grant('own');
    const heard = heardEvents();
    await server.consents.revokeAll(id);
    expect([await isActive(own.token), await isActive(own.refreshToken)]).toEqual([false, false]);
    expect((await accounts.authenticate(login.accessToken)).ok).toBe(true);
    expect(heard).toMatchObject([{ type: 'session.ended', reason: 'consent_revoked' }]);
  });

  it('leaves no grant of a consent that is given meanwhile', async () => {
    const late: (() => Promise<unknown>)[] = [];
    const world = await openServer({
      consents: (store) => ({
        ...store,
        async list(accountId) {
          const listed = await store.list(accountId);
          await Promise.all(late.map((happens) => happens()));
          return listed;
        },
      }),
    });
    const begun: string[] = [];
    late.push(async () => begun.push((await world.grant('other')).token));
    await world.server.consents.revokeAll(world.id);
    expect(begun).toHaveLength(1);
    for (const token of begun) expect(await world.isActive(token)).toBe(false);
  });

  it('may be asked again when it failed half way', async () => {
    let isDown = true;
    const world = await openServer({
      sessions: (store) => ({
        ...store,
        list: (...args) => (isDown ? Promise.reject(new Error('down')) : store.list(...args)),
      }),
    });
    const { token } = await world.grant('own');
    await expect(world.server.consents.revokeAll(world.id)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    isDown = false;
    await world.server.consents.revokeAll(world.id);
    expect(await world.isActive(token)).toBe(false);
  });
});

it('restricts nobody by a misspelt option: that is an error', async () => {
  const { server, grant } = await openServer();
  const { token } = await grant();
  expect(await server.introspect(token, { clientId: 'web' })).toMatchObject({ active: true });
  expect(await server.introspect(token, { clientId: 'nobody' })).toEqual({ active: false });
  for (const options of [{ client: 'nobody' }, { clientid: 'nobody' }, { clientId: undefined }, { clientId: '' }]) {
    await expect(server.introspect(token, options as object)).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    await expect(server.revoke(token, options as object)).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  }
  expect(await server.revoke(token, { clientId: 'nobody' })).toBe(false);
  expect(await server.introspect(token)).toMatchObject({ active: true, uid: expect.any(String) });
});
