import { createHash } from 'node:crypto';
import { PGlite } from '@electric-sql/pglite';
import { clientSubject, createAccounts, type Grant, type NewGrant, type SessionStore } from 'doorward/accounts';
import { createMemoryAccountStore, createMemorySessionStore } from 'doorward/stores/memory';
import { createSqlSessionStore, migrate } from 'doorward/stores/sql';
import { withFaults, withLatency } from 'doorward/testing';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  certified,
  createWorld,
  device,
  outcome,
  PASSWORD,
  START,
  storedAccount,
  storedSession,
  untyped,
  type World,
} from '../accounts/fixture.ts';

const HOUR = 3_600_000;
const FROM = { ip: '192.0.2.1', requestId: 'r-1' };
const PARALLEL = Array.from({ length: 50 }, (_, index) => index);

let db: PGlite;
beforeAll(async () => {
  db = new PGlite();
  await migrate(db);
});
afterAll(() => db.close());

const stores: [string, () => SessionStore][] = [
  ['memory', createMemorySessionStore],
  ['memory behind a network', () => withLatency(createMemorySessionStore())],
  ['PostgreSQL', () => createSqlSessionStore(db)],
];

let made = 0;

function newGrant(accountId: string, fields: Partial<NewGrant> = {}): NewGrant {
  made += 1;
  return {
    sessionId: `grant-${made}`,
    accountId,
    clientId: 'app',
    scopes: ['openid', 'create'],
    audience: ['https://api.example.org'],
    authTime: START / 1_000 - 60,
    amr: ['pwd', 'otp'],
    acr: 'aal2',
    startedAt: START,
    refreshToken: true,
    ...fields,
  };
}

async function granted({ accounts }: World, grant: NewGrant) {
  const started = await accounts.grants.start(grant);
  if (started === undefined) throw new Error('no grant was started');
  return { ...started, refreshToken: started.refreshToken ?? '' };
}

const isLive = async ({ accounts }: World, id: string): Promise<boolean> =>
  (await accounts.grants.find(id, 'jti')) !== undefined;

describe.each(stores)('grants over %s', { timeout: 60_000 }, (_, open) => {
  it('keep what the client was granted, from the start through every rotation', async () => {
    const world = createWorld({ sessions: open() });
    const account = await world.register();
    world.audit.length = 0;
    const grant = newGrant(account.id, { dpopThumbprint: 'key' });
    const started = await world.accounts.grants.start(grant, FROM);
    const { sessionId, refreshToken, ...rest } = grant;
    expect(refreshToken).toBe(true);
    const session = { ...rest, id: sessionId, endsAt: START + 2_592_000_000 };
    expect(started).toEqual({ session, account, refreshToken: expect.stringMatching(/^[\w-]{43}$/) });
    expect(world.audit).toEqual([{ type: 'token.issued', accountId: account.id, sessionId, clientId: 'app', ...FROM }]);
    expect(await world.accounts.grants.find(sessionId, 'jti')).toEqual({ session, account });
    const next = await world.accounts.grants.rotate(started?.refreshToken ?? '', { clientId: 'app', caller: FROM });
    expect(next).toEqual({ session, account, refreshToken: expect.stringMatching(/^[\w-]{43}$/) });
    expect(next.refreshToken).not.toBe(started?.refreshToken);
    for (const token of [started?.refreshToken, next.refreshToken]) {
      expect(await world.accounts.grants.findByRefreshToken(token)).toEqual({ session, grant: { session, account } });
    }
    world.time.now += HOUR;
    expect(await world.accounts.grants.findByRefreshToken(started?.refreshToken)).toEqual({ session });
    expect(await world.accounts.sessionsOf(account.id)).toMatchObject([
      { id: sessionId, clientId: 'app', scopes: ['openid', 'create'] },
    ]);
  });

  it('X2 give 50 parallel rotations one and the same successor; a reuse ends the grant and nothing else', async () => {
    const world = createWorld({ sessions: open() });
    const { id } = await world.register();
    const [grant, other] = [await granted(world, newGrant(id)), await granted(world, newGrant(id))];
    const rotate = () => world.accounts.grants.rotate(grant.refreshToken, { clientId: 'app' });
    const answers = await Promise.all(PARALLEL.map(rotate));
    expect(new Set(answers.map(({ refreshToken }) => refreshToken)).size).toBe(1);
    world.time.now += HOUR;
    expect(await outcome(rotate())).toBe('AUTH_INVALID_GRANT');
    expect(world.auditTypes()).toContain('token.reused');
    expect([await isLive(world, grant.session.id), await isLive(world, other.session.id)]).toEqual([false, true]);
  });

  it('REF-09 REF-11 are rotated by their client only; a stranger and a refused request use nothing up', async () => {
    const world = createWorld({ sessions: open() });
    const { id } = await world.register();
    const { refreshToken, session } = await granted(world, newGrant(id));
    const { rotate } = world.accounts.grants;
    for (const clientId of ['eve', 'APP', '', untyped<string>(undefined)]) {
      const admit = () => Promise.reject(new Error('asked about a stranger'));
      expect(await outcome(rotate(refreshToken, { clientId, admit }))).toBe('AUTH_INVALID_GRANT');
    }
    const seen: Grant[] = [];
    for (const admit of [
      (grant: Grant) => {
        seen.push(grant);
        throw Object.assign(new Error('scope'), { code: 'invalid_scope' });
      },
      () => Promise.reject(Object.assign(new Error('scope'), { code: 'invalid_scope' })),
    ]) {
      expect(await outcome(rotate(refreshToken, { clientId: 'app', admit }))).toBe('invalid_scope');
    }
    expect(seen).toMatchObject([{ session, account: { id, username: 'ada' } }]);
    expect(seen[0]?.account).not.toHaveProperty('passwordHash');
    world.time.now += HOUR;
    expect(await outcome(rotate(refreshToken, { clientId: 'app', admit: () => undefined }))).toBe('ok');
    expect(world.auditTypes()).not.toContain('token.reused');
  });

  it('REF-13 leave none alive when 50 starts race the end of all sessions', async () => {
    const world = createWorld({ sessions: open() });
    const { id } = await world.register();
    for (let round = 0; round < 5; round += 1) {
      const grants = PARALLEL.map(() => newGrant(id, { startedAt: world.time.now }));
      const [started] = await Promise.all([
        Promise.all(grants.map((grant) => world.accounts.grants.start(grant))),
        world.accounts.revokeAllFor(id),
      ]);
      expect(await world.accounts.sessionsOf(id)).toEqual([]);
      for (const grant of started) {
        const rotation = world.accounts.grants.rotate(grant?.refreshToken ?? '', { clientId: 'app' });
        expect(await outcome(rotation)).toBe('AUTH_INVALID_GRANT');
      }
      expect(await world.accounts.grants.start(grants[0] ?? newGrant(id))).toBeUndefined();
      world.time.now += 1;
    }
    expect(await world.accounts.grants.start(newGrant(id, { startedAt: world.time.now }))).toBeDefined();
  });
});

describe('a grant is no login, and a login is no grant', () => {
  it('refuses the refresh token of a grant to the rotation of logins, and gives no unscoped token for it', async () => {
    const world = createWorld();
    const { id } = await world.register();
    const { refreshToken, session } = await granted(world, newGrant(id));
    for (const options of [{}, { clientId: 'app' }]) {
      expect(await outcome(world.accounts.rotate(refreshToken, options))).toBe('AUTH_INVALID_GRANT');
    }
    expect(world.audit.at(-1)).toEqual({ type: 'token.rejected', reason: 'other_grant' });
    expect(await isLive(world, session.id)).toBe(true);
    expect(await outcome(world.accounts.grants.rotate(refreshToken, { clientId: 'app' }))).toBe('ok');
  });

  it('refuses the refresh tokens of logins to the rotation of grants, with a client and without', async () => {
    const world = createWorld();
    await world.register();
    const { grants } = world.accounts;
    for (const options of [{}, { clientId: 'app' }]) {
      const { refreshToken, sessionId } = await device(world, options);
      expect(await outcome(grants.rotate(refreshToken, { clientId: 'app' }))).toBe('AUTH_INVALID_GRANT');
      const without = grants.rotate(refreshToken, { clientId: untyped<string>(undefined) });
      expect(await outcome(without)).toBe('AUTH_INVALID_GRANT');
      expect(await grants.findByRefreshToken(refreshToken)).toBeUndefined();
      expect(await grants.find(sessionId, 'jti')).toBeUndefined();
      expect(await outcome(world.accounts.rotate(refreshToken, options))).toBe('ok');
    }
  });

  it('refuses an access token of a grant to every verb of logins, although our own key signed it', async () => {
    const world = createWorld();
    const { id } = await world.register();
    const { session } = await granted(world, newGrant(id));
    const { authTime, amr, acr } = session;
    const token = world.sign({ sub: 'ada', uid: id, sid: session.id, auth_time: authTime, amr, acr });
    expect(await world.accounts.authenticate(token)).toEqual({ ok: false, reason: 'oauth_grant' });
    expect(await outcome(world.accounts.refresh(token))).toBe('AUTH_NOT_AUTHENTICATED');
    expect(await outcome(world.accounts.logout(token))).toBe('AUTH_NOT_AUTHENTICATED');
    for (const options of [{}, { clientId: 'app' }]) {
      expect(await world.accounts.revokeToken(token, options)).toBe(false);
    }
    expect(await isLive(world, session.id)).toBe(true);
  });

  it('takes an empty list of scopes for a grant without any, not for a login', async () => {
    const world = createWorld();
    const { id } = await world.register();
    const { refreshToken } = await granted(world, newGrant(id, { scopes: [], audience: [] }));
    expect(await outcome(world.accounts.rotate(refreshToken, { clientId: 'app' }))).toBe('AUTH_INVALID_GRANT');
    expect(await world.accounts.grants.findByRefreshToken(refreshToken)).toBeDefined();
  });

  it.each([
    ['its scopes', { scopes: null }],
    ['its audience', { audience: null }],
    ['its client', { clientId: null }],
    ['the form of its scopes', { scopes: 'openid' }],
    ['the form of its audience', { audience: [7] }],
    ['the form of its key', { dpopThumbprint: 7 }],
  ])('STO-13 finds a grant that has lost %s unavailable, and takes it for no login', async (_, lost) => {
    const inner = createMemorySessionStore();
    const answer = async (found: unknown) => untyped<never>({ ...untyped<object>(await found), ...lost });
    const sessions: SessionStore = {
      ...inner,
      find: (...args) => answer(inner.find(...args)),
      async findByRefreshToken(...args) {
        const owner = await inner.findByRefreshToken(...args);
        return owner && { ...owner, session: await answer(owner.session) };
      },
    };
    const world = createWorld({ sessions });
    const { id } = await world.register();
    const { refreshToken, session } = await granted(world, newGrant(id));
    const { grants } = world.accounts;
    const calls = [
      grants.find(session.id, 'jti'),
      grants.findByRefreshToken(refreshToken),
      grants.rotate(refreshToken, { clientId: 'app' }),
      world.accounts.rotate(refreshToken, { clientId: 'app' }),
      world.accounts.rotate(refreshToken),
    ];
    for (const call of calls) expect(await outcome(call)).toBe('SERVICE_UNAVAILABLE');
  });
});

describe('a grant ends with what it depends on', () => {
  it.each<[string, (world: World, id: string, grant: Grant) => unknown]>([
    ['its own end', ({ accounts }, _, { session }) => accounts.grants.end(session, 'revoked')],
    ['the end of its client', ({ accounts }, id) => accounts.grants.endOfClient(id, 'app', 'consent_revoked')],
    ['the end of the session by its owner', ({ accounts }, id, { session }) => accounts.revokeSession(id, session.id)],
    ['the end of all sessions', ({ accounts }, id) => accounts.revokeAllFor(id)],
    ['a new password', ({ accounts }, id) => accounts.setPassword(id, 'an even better passphrase')],
    ['the account disabled', ({ accounts }, id) => accounts.disable(id)],
    ['the account removed', ({ accounts }, id) => accounts.remove(id)],
    ['its time', ({ time }) => (time.now = START + 2_592_000_000)],
  ])('REF-12 %s', async (_, end) => {
    const world = createWorld();
    const { id } = await world.register();
    const { session, refreshToken } = await granted(world, newGrant(id));
    await end(world, id, { session });
    expect(await isLive(world, session.id)).toBe(false);
    expect((await world.accounts.grants.findByRefreshToken(refreshToken))?.grant).toBeUndefined();
    expect(await outcome(world.accounts.grants.rotate(refreshToken, { clientId: 'app' }))).toBe('AUTH_INVALID_GRANT');
  });

  it('tells of its end once, with the reason, and of no other session', async () => {
    const ended: string[][] = [];
    const world = createWorld({ onSessionEnded: (...args) => ended.push(args) });
    const { id } = await world.register();
    const [one, two] = [await granted(world, newGrant(id)), await granted(world, newGrant(id))];
    const other = await granted(world, newGrant(id, { clientId: 'other' }));
    const login = await world.login();
    world.audit.length = 0;
    expect(await world.accounts.grants.end(one.session, 'code_replayed', FROM)).toBe(true);
    expect(await world.accounts.grants.end(one.session, 'code_replayed', FROM)).toBe(false);
    expect(await world.accounts.grants.endOfClient(id, 'app', 'consent_revoked', FROM)).toBe(1);
    expect(await world.accounts.grants.endOfClient('nobody', 'app', 'consent_revoked')).toBe(0);
    expect(world.audit).toEqual([
      { type: 'session.ended', accountId: id, sessionId: one.session.id, reason: 'code_replayed', ...FROM },
      { type: 'session.ended', accountId: id, sessionId: two.session.id, reason: 'consent_revoked', ...FROM },
    ]);
    expect(ended).toEqual([
      [one.session.id, id],
      [two.session.id, id],
    ]);
    expect(await isLive(world, other.session.id)).toBe(true);
    expect((await world.accounts.authenticate(login.accessToken)).ok).toBe(true);
  });

  it('has one of its tokens revoked alone, for as long as that could be used', async () => {
    const world = createWorld({ sessions: createSqlSessionStore(db) });
    const until = vi.spyOn(world.options.sessions, 'revokeToken');
    const { id } = await world.register();
    const grant = await granted(world, newGrant(id));
    world.audit.length = 0;
    const token = { id: 'jti-1', sessionId: grant.session.id, clientId: 'app', expiresAt: START / 1_000 + 3_600 };
    for (const wrong of [{ clientId: 'eve' }, { sessionId: 'none' }]) {
      expect(await world.accounts.grants.revokeToken({ ...token, ...wrong }, FROM)).toBe(false);
    }
    expect(await world.accounts.grants.revokeToken(token, FROM)).toBe(true);
    expect(await world.accounts.grants.revokeToken(token, FROM)).toBe(false);
    expect(world.audit).toEqual([{ type: 'token.revoked', accountId: id, tokenId: 'jti-1', ...FROM }]);
    expect(until).toHaveBeenCalledWith('jti-1', START + 3_600_000 + 60_000, START);
    expect(await world.accounts.grants.find(grant.session.id, 'jti-1')).toBeUndefined();
    expect(await world.accounts.grants.find(grant.session.id, 'jti-2')).toBeDefined();
    expect(await outcome(world.accounts.grants.rotate(grant.refreshToken, { clientId: 'app' }))).toBe('ok');
  });

  it('that is bound to a certificate is rotated with it only', async () => {
    const world = createWorld();
    const { id } = await world.register();
    const { refreshToken } = await granted(world, newGrant(id, { certificateThumbprint: 'ours' }));
    for (const caller of [{}, certified('theirs')]) {
      const rotation = world.accounts.grants.rotate(refreshToken, { clientId: 'app', caller });
      expect(await outcome(rotation)).toBe('AUTH_INVALID_GRANT');
    }
    const rotation = world.accounts.grants.rotate(refreshToken, { clientId: 'app', caller: certified('ours') });
    expect(await outcome(rotation)).toBe('ok');
  });
});

describe('starting a grant', () => {
  it('needs an account that is there and enabled, before and after', async () => {
    const world = createWorld();
    const { id } = await world.register();
    await world.accounts.disable(id);
    for (const accountId of [id, 'nobody', '', 'a\0b', 'client:other']) {
      expect(await world.accounts.grants.start(newGrant(accountId))).toBeUndefined();
    }
    await world.accounts.enable(id);
    const inner = world.options.sessions;
    for (const meanwhile of [() => world.accounts.disable(id), () => world.accounts.remove(id)]) {
      await world.accounts.enable(id);
      const grant = newGrant(id);
      const sessions: SessionStore = {
        ...inner,
        async start(...args) {
          // The account goes after it was looked up and before the session is there.
          await meanwhile();
          return inner.start({ ...args[0], startedAt: START + HOUR }, args[1]);
        },
      };
      const racing = createAccounts({ ...world.options, sessions });
      expect(await racing.grants.start(grant)).toBeUndefined();
      expect(await inner.find(grant.sessionId, 'jti', START)).toBeUndefined();
    }
  });

  it('STO-02 leaves no session behind when the account cannot be read again', async () => {
    const world = createWorld();
    const { id } = await world.register();
    const store = world.options.store;
    let calls = 0;
    const failing = {
      ...store,
      byId: (asked: string) => (++calls === 2 ? Promise.reject(new Error('down')) : store.byId(asked)),
    };
    const { grants } = createAccounts({ ...world.options, store: failing });
    const grant = newGrant(id);
    expect(await outcome(grants.start(grant))).toBe('SERVICE_UNAVAILABLE');
    expect(await grants.find(grant.sessionId, 'jti')).toBeUndefined();
  });

  it('STO-02 is unavailable, never refused and never started, when the sessions fail', async () => {
    const world = createWorld();
    const { id } = await world.register();
    const sessions = withFaults(world.options.sessions, () => 'before');
    const { grants } = createAccounts({ ...world.options, sessions });
    const token = 'x'.repeat(43);
    const calls = [
      () => grants.start(newGrant(id)),
      () => grants.find('sid', 'jti'),
      () => grants.findByRefreshToken(token),
      () => grants.findBySessionToken(`session_${token}`),
      () => grants.rotate(token, { clientId: 'app' }),
      () => grants.end({ id: 'sid', accountId: id }, 'revoked'),
      () => grants.endOfClient(id, 'app', 'revoked'),
    ];
    for (const call of calls) expect(await outcome(call())).toBe('SERVICE_UNAVAILABLE');
  });

  it('gives a session without refresh token the time that is asked for, or that of a login', async () => {
    const world = createWorld();
    const { id } = await world.register();
    for (const [fields, seconds] of [
      [{ lifetimeSeconds: 60 }, 60],
      [{}, 43_200],
    ] as const) {
      const started = await world.accounts.grants.start(newGrant(id, { ...fields, refreshToken: false }));
      expect(started).not.toHaveProperty('refreshToken');
      expect(started?.session.endsAt).toBe(START + seconds * 1_000);
    }
  });
});

describe('a client that acts for itself', () => {
  const own = (fields: Partial<NewGrant> = {}) =>
    newGrant(clientSubject('app'), { authTime: 0, amr: [], acr: 'aal0', refreshToken: false, ...fields });

  it('OAU-37 needs no account, is nobody, and gets no refresh token', async () => {
    const world = createWorld();
    const grant = own({ lifetimeSeconds: 3_600, refreshToken: true });
    const started = await world.accounts.grants.start(grant);
    expect(Object.keys(started ?? {})).toEqual(['session']);
    const found = await world.accounts.grants.find(grant.sessionId, 'jti');
    expect(found?.session.accountId).toBe('client:app');
    expect(found).not.toHaveProperty('account');
    expect(await world.accounts.grants.endOfClient(clientSubject('app'), 'app', 'revoked')).toBe(1);
    expect(await world.accounts.grants.find(grant.sessionId, 'jti')).toBeUndefined();
  });

  it('is not another client, nor an account', async () => {
    const world = createWorld();
    expect(await world.accounts.grants.start(own({ clientId: 'eve' }))).toBeUndefined();
    expect(await outcome(world.register('client:app'))).toBe('INPUT_INVALID');
  });

  it('has a subject that no account is given: not by registering and not by adopting', async () => {
    const store = createMemoryAccountStore();
    const world = createWorld({ store, ids: () => clientSubject('app') });
    await expect(world.register()).rejects.toMatchObject({ code: 'CONFIG_INVALID', field: 'ids' });
    const claims = { iss: 'https://login.example.net', sub: 'ada', exp: START / 1_000 + 60 };
    expect(await outcome(Promise.resolve(world.accounts.adopt(untyped(claims))))).toBe('CONFIG_INVALID');
    expect(await store.byId('client:app')).toBeUndefined();
  });

  it('has no account even where a store holds one of that id', async () => {
    const store = createMemoryAccountStore();
    await store.create(storedAccount({ id: clientSubject('app'), roles: ['admin'] }));
    const world = createWorld({ store });
    const grant = own();
    expect(await world.accounts.grants.start(grant)).not.toHaveProperty('account');
    expect(await world.accounts.grants.find(grant.sessionId, 'jti')).not.toHaveProperty('account');
  });
});

describe('a session token', () => {
  const signIn = async ({ accounts }: World) => {
    const login = await accounts.login({ username: 'ada', password: PASSWORD }, {}, { sessionToken: true });
    return { ...login, sessionToken: login.sessionToken ?? '' };
  };

  it('stands for its login, for as long as that lasts', async () => {
    const world = createWorld();
    const account = await world.register();
    const { sessionToken, sessionId, ...login } = await signIn(world);
    expect(sessionToken).toMatch(/^session_[\w-]{43}$/);
    expect(login).not.toHaveProperty('refreshToken');
    const { grants } = world.accounts;
    expect(await grants.findBySessionToken(sessionToken)).toEqual({
      session: expect.objectContaining({ id: sessionId, amr: ['pwd'], acr: 'aal1', endsAt: START + 43_200_000 }),
      account,
    });
    expect(JSON.stringify(world.audit)).not.toContain(sessionToken.slice(8));
    world.time.now = START + 43_200_000 - 1;
    expect(await grants.findBySessionToken(sessionToken)).toBeDefined();
    world.time.now += 1;
    expect(await grants.findBySessionToken(sessionToken)).toBeUndefined();
  });

  it('is never a refresh token, with its prefix or without: it rotates nothing and revokes nothing', async () => {
    const world = createWorld();
    await world.register();
    const { sessionToken } = await signIn(world);
    const { accounts } = world;
    for (const token of [sessionToken, sessionToken.slice(8)]) {
      expect(await outcome(accounts.rotate(token))).toBe('AUTH_INVALID_GRANT');
      expect(await outcome(accounts.grants.rotate(token, { clientId: 'app' }))).toBe('AUTH_INVALID_GRANT');
      expect(await accounts.grants.findByRefreshToken(token)).toBeUndefined();
      expect(await accounts.revokeToken(token)).toBe(false);
      expect((await accounts.authenticate(token)).ok).toBe(false);
    }
    expect(await accounts.grants.findBySessionToken(sessionToken)).toBeDefined();
  });

  it('is not what a refresh token, an access token or a session id can be taken for', async () => {
    const world = createWorld();
    const { id } = await world.register();
    const login = await device(world);
    const grant = await granted(world, newGrant(id));
    const texts = [login.refreshToken, grant.refreshToken, login.accessToken, login.sessionId, grant.session.id];
    const strange = [undefined, null, 7, {}, [login.refreshToken], '', 'session_', 'x'.repeat(10_000_000)];
    for (const token of [...texts, ...texts.map((text) => `session_${text}`), ...strange]) {
      expect(await world.accounts.grants.findBySessionToken(token)).toBeUndefined();
    }
  });

  it.each<[string, (world: World, id: string, login: { accessToken: string; sessionId: string }) => unknown]>([
    ['logout', ({ accounts }, _, { accessToken }) => accounts.logout(accessToken)],
    [
      'the end of its session',
      ({ accounts }, id, { sessionId }) => accounts.grants.end({ id: sessionId, accountId: id }, 'logout'),
    ],
    ['a new password', ({ accounts }, id) => accounts.setPassword(id, 'an even better passphrase')],
    ['disable', ({ accounts }, id) => accounts.disable(id)],
    ['remove', ({ accounts }, id) => accounts.remove(id)],
    ['the end of all sessions', ({ accounts }, id) => accounts.revokeAllFor(id)],
  ])('is worth nothing after %s', async (_, end) => {
    const world = createWorld();
    const { id } = await world.register();
    const login = await signIn(world);
    expect(await world.accounts.grants.findBySessionToken(login.sessionToken)).toBeDefined();
    await end(world, id, login);
    expect(await world.accounts.grants.findBySessionToken(login.sessionToken)).toBeUndefined();
  });

  it.each([{ refreshToken: true }, { clientId: 'app' }, { bindToCertificate: true }])(
    'is not given together with %j, before the password is looked at',
    async (options) => {
      const world = createWorld();
      await world.register();
      const credentials = { username: 'ada', password: PASSWORD };
      const login = world.accounts.login(credentials, certified('ours'), { ...options, sessionToken: true });
      await expect(login).rejects.toMatchObject({ code: 'INPUT_INVALID', field: 'sessionToken' });
      expect(world.evaluations.verify).toBe(0);
    },
  );

  it('of a client, which nobody is given, would stand for no first-party login', async () => {
    const world = createWorld();
    const { id } = await world.register();
    const token = `session_${'x'.repeat(43)}`;
    const hash = createHash('sha256').update(token).digest('base64url');
    const session = storedSession({ accountId: id, clientId: 'app' });
    await world.options.sessions.start(session, { hash, idleUntil: session.endsAt });
    expect(await world.options.sessions.findByRefreshToken(hash, START)).toBeDefined();
    expect(await world.accounts.grants.findBySessionToken(token)).toBeUndefined();
  });

  it('REF-16 is in the store by its hash only', async () => {
    const started: unknown[] = [];
    const inner = createMemorySessionStore();
    const sessions: SessionStore = {
      ...inner,
      start(...args) {
        started.push(args);
        return inner.start(...args);
      },
    };
    const world = createWorld({ sessions, refreshIdleSeconds: 60 });
    await world.register();
    const { sessionToken } = await signIn(world);
    expect(started).toHaveLength(1);
    expect(started[0]).toMatchObject([{}, { idleUntil: START + 43_200_000 }]);
    expect(JSON.stringify(started)).not.toContain(sessionToken.slice(8));
  });
});
