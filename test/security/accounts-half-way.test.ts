import { inspect } from 'node:util';
import type { AccountStore, AccountsOptions, SessionRecord, SessionStore } from 'doorward/accounts';
import { createAccounts } from 'doorward/accounts';
import { accountRoutes, createGate, createRouter, type RequestInfo } from 'doorward/http';
import { contractRoles } from 'doorward/rbac';
import { createMemoryAccountStore, createMemorySessionStore } from 'doorward/stores/memory';
import { describe, expect, it } from 'vitest';
import { certified, createWorld, outcome, PASSWORD, storedSession, untyped } from '../accounts/fixture.ts';

const NEXT = 'an even better passphrase';
const down = () => Promise.reject(new Error('the bus is down'));

/** A store that adds accounts, and answers so late that nobody believes it any more. */
function lateToAnswer(): { readonly store: AccountStore; readonly late: { isLate: boolean } } {
  const late = { isLate: true };
  const memory = createMemoryAccountStore();
  const create: AccountStore['create'] = async (account) => {
    if (late.isLate) await new Promise((resolve) => setTimeout(resolve, 60));
    return memory.create(account);
  };
  return { late, store: { ...memory, create } };
}

describe('an account that is added after its deadline', () => {
  it('STO-06 blocks no username and is nobody without a user: it goes as it comes', async () => {
    const { store, late } = lateToAnswer();
    const told: string[] = [];
    const world = createWorld({ store, storeTimeoutMs: 20, onRegistered: async ({ id }) => void told.push(id) });
    expect(await outcome(world.register())).toBe('SERVICE_UNAVAILABLE');
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(await store.byUsernameKey('ada')).toBeUndefined();
    late.isLate = false;
    expect((await world.register()).id).toBe(told[0]);
  });

  it('takes nobody else away who has the name, or the id', async () => {
    const { store, late } = lateToAnswer();
    late.isLate = false;
    const world = createWorld({ store, storeTimeoutMs: 20, ids: () => 'the same' });
    await world.register();
    late.isLate = true;
    expect(await outcome(world.register())).toBe('SERVICE_UNAVAILABLE');
    expect(await outcome(world.register('bob'))).toBe('SERVICE_UNAVAILABLE');
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(await store.byId('the same')).toMatchObject({ username: 'ada' });
  });
});

describe('listeners that fail while a password is set', () => {
  it('LOG-25 do not keep the stolen one good, nor the change out of the events', async () => {
    const world = createWorld({ onRevoked: down, onSessionEnded: down });
    const { id } = await world.register();
    await world.login();
    expect(await outcome(world.accounts.setPassword(id, NEXT))).toBe('SERVICE_UNAVAILABLE');
    expect(await outcome(world.login('ada', PASSWORD))).toBe('AUTH_INVALID_CREDENTIALS');
    expect(await outcome(world.login('ada', NEXT))).toBe('ok');
    expect(world.auditTypes()).toContain('password.changed');
  });

  it('LOG-25 nor when its owner changes it', async () => {
    const world = createWorld({ onSessionEnded: down });
    const { id } = await world.register();
    const [mine, stolen] = [await world.login(), await world.login()];
    const change = world.accounts.changePassword(id, { current: PASSWORD, next: NEXT }, { sessionId: mine.sessionId });
    expect(await outcome(change)).toBe('SERVICE_UNAVAILABLE');
    expect(await outcome(world.login('ada', PASSWORD))).toBe('AUTH_INVALID_CREDENTIALS');
    expect(await world.accounts.authenticate(stolen.accessToken)).toMatchObject({ ok: false });
    expect(await world.accounts.authenticate(mine.accessToken)).toMatchObject({ ok: true });
  });
});

describe('a login that fails after its session was added', () => {
  it('leaves no session that nobody has', async () => {
    const store = createMemoryAccountStore();
    let isDown = false;
    const byId: AccountStore['byId'] = async (id) => (isDown ? down() : store.byId(id));
    const world = createWorld({ store: { ...store, byId } });
    const { id } = await world.register();
    isDown = true;
    expect(await outcome(world.login())).toBe('SERVICE_UNAVAILABLE');
    isDown = false;
    expect(await world.accounts.sessionsOf(id)).toEqual([]);
  });
});

describe('a session store that loses what it was given', () => {
  it('REF-02 the binding to a certificate: no bound token becomes an unbound one', async () => {
    const memory = createMemorySessionStore();
    const unbound = (record: SessionRecord | undefined) => {
      if (record === undefined) return undefined;
      const { certificateThumbprint: _, ...rest } = record;
      return rest;
    };
    const sessions: SessionStore = { ...memory, find: async (...args) => unbound(await memory.find(...args)) };
    const world = createWorld({ sessions });
    await world.register();
    const caller = certified('thumb');
    const credentials = { username: 'ada', password: PASSWORD };
    const { accessToken } = await world.accounts.login(credentials, caller, { bindToCertificate: true });
    expect(await outcome(world.accounts.refresh(accessToken, caller))).toBe('AUTH_NOT_AUTHENTICATED');
    expect(await world.accounts.authenticate(accessToken, caller)).toEqual({ ok: false, reason: 'confirmation' });
  });

  it.each([8.64e15, 8.64e12 + 1, 0.5, -1e14])('a login at %d seconds is no time of a login', async (authTime) => {
    const list = async () => [storedSession({ authTime })];
    const world = createWorld({ sessions: { ...createMemorySessionStore(), list } });
    expect(await outcome(world.accounts.sessionsOf('id-ada'))).toBe('SERVICE_UNAVAILABLE');
  });
});

describe('POST /refresh', () => {
  it('hands the caller over: a bound login goes on with its certificate, and events tell from where', async () => {
    const world = createWorld();
    await world.register();
    const info = { certificate: certified('thumb').certificate, ip: '192.0.2.1', requestId: 'r-1' };
    const credentials = { username: 'ada', password: PASSWORD };
    const { accessToken } = await world.accounts.login(credentials, info, { bindToCertificate: true });
    const gate = createGate({ authenticate: world.accounts.authenticate, pdp: contractRoles });
    const handler = createRouter({ ...accountRoutes(world.accounts, gate) });
    const headers = { authorization: `Bearer ${accessToken}` };
    const refresh = (caller: RequestInfo) =>
      handler(new Request('http://localhost/refresh', { method: 'POST', headers }), caller);
    world.audit.length = 0;
    expect((await refresh(info)).status).toBe(200);
    const other = { ...info, certificate: certified('other').certificate };
    expect((await refresh(other)).status).toBe(401);
    expect(world.audit).toEqual([
      expect.objectContaining({ type: 'token.refreshed', ip: '192.0.2.1', requestId: 'r-1' }),
      expect.objectContaining({ type: 'token.rejected', ip: '192.0.2.1', requestId: 'r-1' }),
    ]);
  });
});

describe('the access token of an OAuth client', () => {
  it('REF-09 is not made to live longer by whoever found it: only the client rotates its refresh token', async () => {
    const world = createWorld();
    await world.register();
    const credentials = { username: 'ada', password: PASSWORD };
    const { accessToken, refreshToken = '' } = await world.accounts.login(
      credentials,
      {},
      { clientId: 'app', refreshToken: true },
    );
    expect(await outcome(world.accounts.refresh(accessToken))).toBe('AUTH_NOT_AUTHENTICATED');
    expect(world.audit.at(-1)).toEqual({ type: 'token.rejected', reason: 'other_client' });
    expect(await world.accounts.authenticate(accessToken)).toMatchObject({ ok: true });
    expect(await outcome(world.accounts.rotate(refreshToken, { clientId: 'app' }))).toBe('ok');
  });
});

describe('options that say nothing', () => {
  it.each([
    ['factor', { factor: [] }],
    ['loginMaxFailure', { loginMaxFailure: 3 }],
    ['onRevoke', { onRevoke: () => undefined }],
    ['minLenght', { passwordRules: { minLenght: 12 } }],
  ])('a misspelt %s is refused by name', (field, misspelt) => {
    const { options } = createWorld();
    expect(() => createAccounts(untyped<AccountsOptions>({ ...options, ...misspelt }))).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', field }),
    );
  });
});

describe('events of logins, refreshes and adoptions', () => {
  it('AUD-04 carry no token, password or claim', async () => {
    const world = createWorld();
    await world.register();
    const { accessToken, refreshToken = '' } = await world.accounts.login(
      { username: 'ada', password: PASSWORD },
      {},
      { refreshToken: true },
    );
    const rotated = await world.accounts.rotate(refreshToken);
    await outcome(world.accounts.rotate(rotated.refreshToken));
    await world.accounts.revokeToken(accessToken);
    await outcome(world.accounts.login({ username: PASSWORD, password: 'ada' }));
    const shown = inspect(world.audit, { depth: null });
    for (const secret of [accessToken, refreshToken, rotated.refreshToken, PASSWORD])
      expect(shown).not.toContain(secret);
  });
});
