import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto';
import diagnostics from 'node:diagnostics_channel';
import { AUDIT_CHANNEL, type AuditEvent, type Authenticator, environmentSource } from 'doorward';
import { createAccounts, type SessionStore } from 'doorward/accounts';
import { createApiKeys } from 'doorward/api-keys';
import { createGate, createRouter, type Handler } from 'doorward/http';
import { type ConsentStore, consentRoutes, createClientRegistry } from 'doorward/oauth';
import { createBcryptHasher } from 'doorward/passwords';
import { contractRoles } from 'doorward/rbac';
import {
  createMemoryAccountStore,
  createMemoryApiKeyStore,
  createMemoryCodeStore,
  createMemoryConsentStore,
  createMemoryRateLimitStore,
  createMemorySessionStore,
} from 'doorward/stores/memory';
import { createTokenIssuer, createTokenVerifier, privateKey, secretKey } from 'doorward/tokens';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createServer } from '../security/oauth-support.ts';

const START = Date.UTC(2026, 0, 1, 12);
const ISSUER = 'https://login.example.org';
const API = 'https://api.example.org';
const CALLBACK = 'https://app.example.org/callback';
const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';
const PASSWORD = 'a good passphrase';
const INFO = { requestId: 'r1', ip: '192.0.2.1' };
const key = secretKey('kE2v9pXr7QmZt4Ls8WnYb3Hd6Jc1Gf5A');
const signing = privateKey(generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey, { kid: 'k1' });
const hasher = createBcryptHasher({ cost: 4, workers: 1 });
const client = (client_id: string, rest: object = {}) => ({
  ...{ client_id, token_endpoint_auth_method: 'none' as const, redirect_uris: [CALLBACK], scope: 'openid create' },
  ...rest,
});
const clients = createClientRegistry([
  client('spa', { client_name: 'Photo album', client_uri: 'https://app.example.org/' }),
  client('other'),
  client('own', { consent: 'implied' }),
]);

const events: AuditEvent[] = [];
const hear = (event: unknown): void => void events.push(event as AuditEvent);
beforeEach(() => {
  events.length = 0;
  diagnostics.subscribe(AUDIT_CHANNEL, hear);
});
afterEach(() => {
  diagnostics.unsubscribe(AUDIT_CHANNEL, hear);
});
afterAll(() => hasher.close());
const heard = (type: string) => events.filter((event) => event.type === type);

interface Changes {
  readonly consents?: (store: ConsentStore) => ConsentStore;
  readonly sessions?: (store: SessionStore) => SessionStore;
}

/** A whole server over stores in memory, with the routes of the owner. */
async function createWorld(changes: Changes = {}) {
  const clock = () => START;
  const store = createMemoryConsentStore();
  const sessionStore = createMemorySessionStore();
  const codes = createMemoryCodeStore();
  const accounts = createAccounts({
    store: createMemoryAccountStore(),
    sessions: changes.sessions?.(sessionStore) ?? sessionStore,
    limits: createMemoryRateLimitStore(),
    issuer: createTokenIssuer({ key, clock }),
    verifier: createTokenVerifier({ keys: [key], clock }),
    ...{ hasher, clock, roles: ['viewer'] },
  });
  const server = createServer({
    ...{ issuer: ISSUER, resource: API, accounts, clients, codes, clock, keys: { keys: [signing], active: signing } },
    consents: changes.consents?.(store) ?? store,
  });
  const apiKeys = createApiKeys({
    ...{ store: createMemoryApiKeyStore(), subjectOf: accounts.subject, scopes: ['create'], clock },
  });
  const authenticate: Authenticator = (token, caller) => {
    if (server.recognises(token)) return server.authenticate(token, caller);
    return apiKeys.recognises(token) ? apiKeys.authenticate(token, caller) : accounts.authenticate(token, caller);
  };
  const gate = createGate({ authenticate, pdp: contractRoles, environment: environmentSource({ clock }) });
  const handler: Handler = createRouter(consentRoutes(server.consents, gate));

  return {
    ...{ accounts, server, store, apiKeys },
    async newcomer(username: string) {
      const { id } = await accounts.register({ username, password: PASSWORD, email: `${username}@example.org` });
      const { accessToken: token } = await accounts.login({ username, password: PASSWORD });
      return { id, token };
    },
    async putCode(accountId: string, clientId: string) {
      const code = randomBytes(32).toString('base64url');
      const [login] = await accounts.sessionsOf(accountId);
      const record = {
        ...{ clientId, accountId, redirectUri: CALLBACK, codeChallenge: CHALLENGE, scopes: ['openid', 'create'] },
        ...{ audience: [API], authTime: START / 1_000, amr: ['pwd'], acr: 'aal1', loginSessionId: login?.id ?? '' },
        ...{ issuedAt: START, expiresAt: START + 60_000 },
      };
      await codes.put(createHash('sha256').update(code).digest('base64url'), record, START + 86_400_000, START);
      return code;
    },
    async redeem(code: string, clientId: string) {
      const form = { grant_type: 'authorization_code', client_id: clientId, code, redirect_uri: CALLBACK };
      const body = new URLSearchParams({ ...form, code_verifier: VERIFIER });
      const answer = await server.handler(new Request(`${ISSUER}/oauth/token`, { method: 'POST', body }), INFO);
      return { status: answer.status, ...((await answer.json()) as { access_token?: string; refresh_token?: string }) };
    },
    /** What a client has after its user has logged in there and agreed. */
    async tokensOf(accountId: string, clientId: string) {
      if (clientId !== 'own') await store.grant(accountId, clientId, ['openid', 'create'], START);
      return this.redeem(await this.putCode(accountId, clientId), clientId);
    },
    isGood: async (token: string | undefined) => (await server.authenticate(token ?? '', INFO)).ok,
    async refresh(refreshToken: string | undefined, clientId: string) {
      const body = new URLSearchParams({
        ...{ grant_type: 'refresh_token', client_id: clientId, refresh_token: refreshToken ?? '' },
      });
      return (await server.handler(new Request(`${ISSUER}/oauth/token`, { method: 'POST', body }), INFO)).status;
    },
    async call(method: string, path: string, token?: string) {
      const headers = new Headers(token === undefined ? {} : { authorization: `Bearer ${token}` });
      const response = await handler(new Request(`${ISSUER}${path}`, { method, headers }), INFO);
      return { status: response.status, body: await response.json() };
    },
  };
}

describe('consents', () => {
  it('are listed with what their scopes mean', async () => {
    const { server, store } = await createWorld();
    await store.grant('id-ada', 'spa', ['openid', 'create', 'constructor'], START);
    await store.grant('id-ada', 'gone', ['create'], START + 1);
    await store.grant('id-bob', 'other', ['create'], START);
    expect(await server.consents.list('id-ada')).toEqual([
      {
        ...{ clientId: 'gone', clientName: 'gone', grantedAt: '2026-01-01T12:00:00.001Z' },
        scopes: [{ name: 'create', description: 'Create posts in your name' }],
      },
      {
        ...{ clientId: 'spa', clientName: 'Photo album', clientUri: 'https://app.example.org/' },
        scopes: [
          { name: 'openid', description: 'Know who you are' },
          { name: 'create', description: 'Create posts in your name' },
          { name: 'constructor', description: 'constructor' },
        ],
        grantedAt: '2026-01-01T12:00:00.000Z',
      },
    ]);
    for (const id of ['', 'nobody', 'a\0', '__proto__']) expect(await server.consents.list(id)).toEqual([]);
  });

  it('taken back, nothing that the client has of the account is good any more', async () => {
    const world = await createWorld();
    const [ada, bob] = [await world.newcomer('ada'), await world.newcomer('bob')];
    const [first, second] = [await world.tokensOf(ada.id, 'spa'), await world.tokensOf(ada.id, 'spa')];
    const others = [await world.tokensOf(ada.id, 'other'), await world.tokensOf(bob.id, 'spa')];
    const pending = await world.putCode(ada.id, 'spa');
    for (const { access_token } of [first, second, ...others]) expect(await world.isGood(access_token)).toBe(true);

    expect(await world.server.consents.revoke(ada.id, 'spa', INFO)).toBe(true);
    for (const { access_token, refresh_token } of [first, second]) {
      expect(await world.isGood(access_token)).toBe(false);
      expect(await world.refresh(refresh_token, 'spa')).toBe(400);
    }
    expect((await world.redeem(pending, 'spa')).status).toBe(400);
    for (const { access_token } of others) expect(await world.isGood(access_token)).toBe(true);
    expect((await world.accounts.authenticate(ada.token)).ok).toBe(true);
    expect(await world.server.consents.list(ada.id)).toMatchObject([{ clientId: 'other' }]);
    expect(await world.server.consents.list(bob.id)).toMatchObject([{ clientId: 'spa' }]);
    expect(heard('consent.revoked')).toEqual([
      { type: 'consent.revoked', accountId: ada.id, clientId: 'spa', ...INFO },
    ]);
    expect(heard('session.ended').map((event) => 'reason' in event && event.reason)).toEqual(
      expect.arrayContaining(['consent_revoked', 'consent_revoked']),
    );
    expect(await world.server.consents.revoke(ada.id, 'spa')).toBe(false);
  });

  it('of your own applications are not listed, but what they have can be taken back', async () => {
    const world = await createWorld();
    const ada = await world.newcomer('ada');
    const { access_token } = await world.tokensOf(ada.id, 'own');
    expect(await world.isGood(access_token)).toBe(true);
    expect(await world.server.consents.list(ada.id)).toEqual([]);
    expect(await world.server.consents.revoke(ada.id, 'own')).toBe(true);
    expect(await world.isGood(access_token)).toBe(false);
  });

  it('end the sessions at the second attempt when the first got no further than the consent', async () => {
    let isDown = false;
    const world = await createWorld({
      sessions: (store) => ({
        ...store,
        list: (...args) => (isDown ? Promise.reject(new Error('down')) : store.list(...args)),
      }),
    });
    const ada = await world.newcomer('ada');
    const { access_token } = await world.tokensOf(ada.id, 'spa');
    isDown = true;
    await expect(world.server.consents.revoke(ada.id, 'spa')).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    isDown = false;
    expect(heard('consent.revoked')).toHaveLength(1);
    expect(await world.server.consents.revoke(ada.id, 'spa')).toBe(true);
    expect(await world.isGood(access_token)).toBe(false);
  });

  it.each(['before the consent is gone', 'after that, before its sessions are ended'])(
    'leave no client with a good token that redeems its code %s',
    async (moment) => {
      const redeemed: { status: number; access_token?: string }[] = [];
      let redeem = async (): Promise<void> => undefined;
      const meanwhile = async (): Promise<void> => {
        const run = redeem;
        redeem = async () => undefined;
        await run();
      };
      const world = await createWorld(
        moment.startsWith('before')
          ? {
              consents: (store) => ({ ...store, revoke: async (...of) => meanwhile().then(() => store.revoke(...of)) }),
            }
          : { sessions: (store) => ({ ...store, list: async (...of) => meanwhile().then(() => store.list(...of)) }) },
      );
      const ada = await world.newcomer('ada');
      await world.store.grant(ada.id, 'spa', ['openid', 'create'], START);
      const code = await world.putCode(ada.id, 'spa');
      redeem = async () => void redeemed.push(await world.redeem(code, 'spa'));
      await world.server.consents.revoke(ada.id, 'spa');
      expect(redeemed.map(({ status }) => status)).toEqual([moment.startsWith('before') ? 200 : 400]);
      expect(await world.isGood(redeemed[0]?.access_token)).toBe(false);
    },
  );

  it('of a removed account are all taken back', async () => {
    const world = await createWorld();
    const [ada, bob] = [await world.newcomer('ada'), await world.newcomer('bob')];
    const tokens = [await world.tokensOf(ada.id, 'spa'), await world.tokensOf(ada.id, 'other')];
    const { access_token: kept } = await world.tokensOf(bob.id, 'spa');
    await world.server.consents.revokeAll(ada.id, INFO);
    expect(await world.store.list(ada.id)).toEqual([]);
    for (const { access_token } of tokens) expect(await world.isGood(access_token)).toBe(false);
    expect(await world.isGood(kept)).toBe(true);
    expect(heard('consent.revoked')).toHaveLength(2);
  });
});

describe('the routes of the owner', () => {
  it('show the consents and take one back', async () => {
    const world = await createWorld();
    const ada = await world.newcomer('ada');
    const { access_token } = await world.tokensOf(ada.id, 'spa');
    const { status, body } = await world.call('GET', '/account/consents', ada.token);
    expect([status, body]).toEqual([200, { consents: await world.server.consents.list(ada.id) }]);
    expect(body.consents).toHaveLength(1);
    const answer = await world.call('DELETE', '/account/consents/spa', ada.token);
    expect(answer).toEqual({ status: 200, body: { message: 'Consent revoked' } });
    expect(await world.isGood(access_token)).toBe(false);
    expect((await world.call('DELETE', '/account/consents/spa', ada.token)).status).toBe(404);
  });

  it.each(['spa', 'nobody', '__proto__', 'a%00', '%F0%9F%98%80', 'x'.repeat(2_000), 'spa%2Fx'])(
    'answer 404 for %s, which the caller has given nothing',
    async (clientId) => {
      const world = await createWorld();
      const [ada, bob] = [await world.newcomer('ada'), await world.newcomer('bob')];
      const { access_token } = await world.tokensOf(bob.id, 'spa');
      expect((await world.call('DELETE', `/account/consents/${clientId}`, ada.token)).status).toBe(404);
      expect(await world.isGood(access_token)).toBe(true);
      expect(await world.server.consents.list(bob.id)).toHaveLength(1);
    },
  );

  it('refuse whoever only acts for the owner: an OAuth client, an API key, nobody', async () => {
    const world = await createWorld();
    const ada = await world.newcomer('ada');
    const { access_token = '' } = await world.tokensOf(ada.id, 'spa');
    await world.tokensOf(ada.id, 'other');
    const { key: apiKey } = await world.apiKeys.create({ accountId: ada.id, name: 'build', scopes: ['create'] });
    expect([await world.isGood(access_token), (await world.apiKeys.authenticate(apiKey)).ok]).toEqual([true, true]);
    for (const [method, path] of [
      ['GET', '/account/consents'],
      ['DELETE', '/account/consents/other'],
      ['DELETE', '/account/consents/spa'],
    ] as const) {
      expect((await world.call(method, path)).status).toBe(401);
      for (const token of [access_token, apiKey]) {
        const { status, body } = await world.call(method, path, token);
        expect([status, body]).toEqual([403, { error: 'Forbidden', message: 'Requires a login' }]);
      }
    }
    expect(await world.server.consents.list(ada.id)).toHaveLength(2);
  });
});
