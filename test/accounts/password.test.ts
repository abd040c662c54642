import { createBcryptHasher, type PasswordHasher } from 'doorward/passwords';
import { createMemoryAccountStore, createMemorySessionStore } from 'doorward/stores/memory';
import { afterAll, describe, expect, it } from 'vitest';
import { createWorld, device, outcome, PASSWORD, untyped } from './fixture.ts';

const NEXT = 'an even better passphrase';
const FROM = { ip: '192.0.2.1', requestId: 'r-1' };

const weak = createBcryptHasher({ cost: 4, workers: 1 });
const strong = createBcryptHasher({ cost: 5, workers: 1 });
afterAll(() => Promise.all([weak.close(), strong.close()]));

describe('changing a password', () => {
  it('LOG-25 ends every session but the one that asks', async () => {
    const ended: string[] = [];
    const world = createWorld({ onSessionEnded: (id) => ended.push(id) });
    const { id } = await world.register();
    const [own, other] = [await device(world), await device(world)];
    world.audit.length = 0;
    const change = { current: PASSWORD, next: NEXT };
    await world.accounts.changePassword(id, change, { sessionId: own.sessionId, caller: FROM });
    expect(world.audit).toEqual([
      { type: 'password.changed', accountId: id, ...FROM },
      { type: 'session.ended', accountId: id, sessionId: other.sessionId, reason: 'password_changed', ...FROM },
    ]);
    expect(ended).toEqual([other.sessionId]);
    expect(await world.accounts.authenticate(own.accessToken)).toMatchObject({ ok: true });
    expect(await outcome(world.accounts.rotate(own.refreshToken))).toBe('ok');
    expect(await world.accounts.authenticate(other.accessToken)).toEqual({ ok: false, reason: 'session_ended' });
    expect(await outcome(world.accounts.rotate(other.refreshToken))).toBe('AUTH_INVALID_GRANT');
    expect(await outcome(world.login('ada', PASSWORD))).toBe('AUTH_INVALID_CREDENTIALS');
    expect(await outcome(world.login('ada', NEXT))).toBe('ok');
  });

  it('LOG-25 REF-12 ends all sessions when none is named, and closes all sockets', async () => {
    const revoked: string[] = [];
    const world = createWorld({ onRevoked: (id) => revoked.push(id) });
    const { id } = await world.register();
    const { accessToken, refreshToken } = await device(world);
    await world.accounts.changePassword(id, { current: PASSWORD, next: NEXT });
    expect((await world.accounts.authenticate(accessToken)).ok).toBe(false);
    expect(await outcome(world.accounts.rotate(refreshToken))).toBe('AUTH_INVALID_GRANT');
    expect(new Set(revoked)).toEqual(new Set([id]));
  });

  it('LOG-25 with a wrong current password changes nothing, and counts as a failed login', async () => {
    const world = createWorld({ loginMaxFailures: 3 });
    const { id } = await world.register();
    const { accessToken } = await world.login();
    world.audit.length = 0;
    const change = { current: 'a wrong passphrase', next: NEXT };
    await expect(world.accounts.changePassword(id, change, { caller: FROM })).rejects.toMatchObject({
      code: 'AUTH_INVALID_CREDENTIALS',
      status: 401,
    });
    expect(world.audit).toEqual([{ type: 'login.failed', reason: 'wrong_password', accountId: id, ...FROM }]);
    expect((await world.accounts.authenticate(accessToken)).ok).toBe(true);
    expect(await outcome(world.login('ada', 'wrong'))).toBe('AUTH_INVALID_CREDENTIALS');
    expect(await outcome(world.accounts.changePassword(id, change))).toBe('AUTH_INVALID_CREDENTIALS');
    expect(await outcome(world.accounts.changePassword(id, { ...change, current: PASSWORD }))).toBe(
      'HTTP_TOO_MANY_REQUESTS',
    );
    expect(await outcome(world.login())).toBe('HTTP_TOO_MANY_REQUESTS');
  });

  it('LOG-19 evaluates at most 10 of 1,000 parallel guesses', async () => {
    const world = createWorld();
    const { id } = await world.register();
    const guesses = Array.from({ length: 1_000 }, (_, i) =>
      outcome(world.accounts.changePassword(id, { current: `guess ${i}`, next: NEXT })),
    );
    expect(new Set(await Promise.all(guesses))).toEqual(
      new Set(['AUTH_INVALID_CREDENTIALS', 'HTTP_TOO_MANY_REQUESTS']),
    );
    expect(world.evaluations.verify).toBeLessThanOrEqual(10);
  });

  it.each([
    ['next', { current: PASSWORD, next: 'short' }],
    ['next', { current: PASSWORD, next: 'p'.repeat(1_025) }],
    ['next', { current: PASSWORD, next: 'sunshine' }],
    ['next', { current: PASSWORD, next: 7 }],
    ['next', { current: PASSWORD }],
    ['current', { next: NEXT }],
    ['current', { current: [PASSWORD], next: NEXT }],
    ['current', Object.create({ current: PASSWORD, next: NEXT })],
    ['current', null],
  ])('refuses a %s that will not do, before anything is hashed', async (field, change) => {
    const world = createWorld();
    const { id } = await world.register();
    world.evaluations.hash = 0;
    const changing = world.accounts.changePassword(id, untyped(change));
    await expect(changing).rejects.toMatchObject({ code: 'INPUT_INVALID', field });
    expect(world.evaluations).toEqual({ hash: 0, verify: 0 });
  });

  it('refuses the username as a password', async () => {
    const world = createWorld();
    const { id } = await world.register('ada.lovelace');
    expect(await outcome(world.accounts.changePassword(id, { current: PASSWORD, next: 'ADA.lovelace' }))).toBe(
      'INPUT_INVALID',
    );
    expect(await outcome(world.accounts.setPassword(id, 'ADA.lovelace'))).toBe('INPUT_INVALID');
  });

  it('is for accounts that can log in', async () => {
    const world = createWorld();
    const { id } = await world.register();
    await world.accounts.disable(id);
    for (const unknown of [id, 'nobody', 'a\0b']) {
      const changing = world.accounts.changePassword(unknown, { current: PASSWORD, next: NEXT });
      expect(await outcome(changing)).toBe('AUTH_INVALID_CREDENTIALS');
    }
  });

  it('lets one of several parallel changes win; the others find that the password is another one', async () => {
    const world = createWorld();
    const { id } = await world.register();
    const nexts = [1, 2, 3].map((n) => `${NEXT} ${n}`);
    const outcomes = await Promise.all(
      nexts.map((next) => outcome(world.accounts.changePassword(id, { current: PASSWORD, next }))),
    );
    expect([...outcomes].sort()).toEqual(['AUTH_INVALID_CREDENTIALS', 'AUTH_INVALID_CREDENTIALS', 'ok']);
    expect(await outcome(world.login('ada', nexts[outcomes.indexOf('ok')]))).toBe('ok');
  });

  it.each(['before', 'after'])(
    'leaves no old session behind a new password when the session store fails %s',
    async (when) => {
      const memory = createMemorySessionStore();
      let isDown = false;
      const endAll: typeof memory.endAll = async (...args) => {
        if (isDown && when === 'before') throw new Error('down');
        const ended = await memory.endAll(...args);
        if (isDown) throw new Error('the answer was lost');
        return ended;
      };
      const world = createWorld({ sessions: { ...memory, endAll } });
      const { id } = await world.register();
      const { refreshToken } = await device(world);
      isDown = true;
      expect(await outcome(world.accounts.changePassword(id, { current: PASSWORD, next: NEXT }))).toBe(
        'SERVICE_UNAVAILABLE',
      );
      isDown = false;
      world.time.now += 1;
      expect(await outcome(world.login('ada', NEXT))).toBe('AUTH_INVALID_CREDENTIALS');
      expect(await outcome(world.login('ada', PASSWORD))).toBe('ok');
      expect(await outcome(world.accounts.rotate(refreshToken))).toBe(when === 'before' ? 'ok' : 'AUTH_INVALID_GRANT');
    },
  );
});

describe('LOG-25 a login that slips in just before the hash is replaced', () => {
  it.each(['changePassword', 'setPassword'] as const)('has no session any more when %s is answered', async (verb) => {
    const store = createMemoryAccountStore();
    let slipIn: () => Promise<unknown> = async () => undefined;
    const replacePasswordHash: typeof store.replacePasswordHash = async (...args) => {
      await slipIn();
      return store.replacePasswordHash(...args);
    };
    const world = createWorld({ store: { ...store, replacePasswordHash } });
    const { id } = await world.register();
    const logins: Awaited<ReturnType<typeof device>>[] = [];
    slipIn = async () => logins.push(await device(world));
    if (verb === 'setPassword') await world.accounts.setPassword(id, NEXT);
    else await world.accounts.changePassword(id, { current: PASSWORD, next: NEXT });
    expect(logins).toHaveLength(1);
    for (const { accessToken, refreshToken } of logins) {
      expect((await world.accounts.authenticate(accessToken)).ok).toBe(false);
      expect(await outcome(world.accounts.rotate(refreshToken))).toBe('AUTH_INVALID_GRANT');
    }
  });
});

describe('setting a password', () => {
  it('asks for no former one, ends all sessions, and tells whether there is such an account', async () => {
    const revoked: string[] = [];
    const world = createWorld({ onRevoked: (id) => revoked.push(id) });
    const { id } = await world.register();
    const { accessToken, sessionId } = await world.login();
    world.audit.length = 0;
    expect(await world.accounts.setPassword(id, NEXT, FROM)).toBe(true);
    expect(world.audit).toEqual([
      { type: 'password.changed', accountId: id, ...FROM },
      { type: 'session.ended', accountId: id, sessionId, reason: 'password_changed', ...FROM },
    ]);
    expect(revoked).toContain(id);
    expect((await world.accounts.authenticate(accessToken)).ok).toBe(false);
    expect(await outcome(world.login('ada', NEXT))).toBe('ok');
    expect(await world.accounts.setPassword('nobody', NEXT)).toBe(false);
    for (const next of ['short', 7, undefined]) {
      expect(await outcome(world.accounts.setPassword(id, untyped(next)))).toBe('INPUT_INVALID');
    }
  });
});

describe('LOG-16 a hash that is out of date', () => {
  /** Accounts whose passwords were hashed at cost 4, with a hasher that wants 5. */
  async function outdated(hasher: PasswordHasher = strong) {
    const store = createMemoryAccountStore();
    const { id } = await createWorld({ store, hasher: weak }).register();
    const world = createWorld({ store, hasher });
    return { world, store, id, hash: async () => (await store.byId(id))?.passwordHash ?? '' };
  }

  it('is replaced at the next login, once', async () => {
    const { world, id, hash } = await outdated();
    expect(await hash()).toContain('$04$');
    await Promise.all([world.login(), world.login(), world.login()]);
    const upgraded = await hash();
    expect(upgraded).toContain('$05$');
    expect(world.audit.filter(({ type }) => type === 'credential.rehashed')).toEqual([
      { type: 'credential.rehashed', accountId: id },
    ]);
    await world.login();
    expect(await hash()).toBe(upgraded);
  });

  it('is left alone by a failed login, which costs one evaluation', async () => {
    const { world, hash } = await outdated();
    const before = await hash();
    expect(await outcome(world.login('ada', 'wrong'))).toBe('AUTH_INVALID_CREDENTIALS');
    expect([await hash(), world.evaluations]).toEqual([before, { hash: 0, verify: 1 }]);
  });

  it('does not come back over a password that was changed meanwhile', async () => {
    let change: () => Promise<unknown> = async () => undefined;
    const { world, id } = await outdated({
      ...strong,
      async hash(password) {
        if (password === PASSWORD) await change();
        return strong.hash(password);
      },
    });
    change = () => world.accounts.setPassword(id, NEXT);
    await world.login();
    expect(world.auditTypes()).toContain('password.changed');
    expect(world.auditTypes()).not.toContain('credential.rehashed');
    expect(await outcome(world.login('ada', PASSWORD))).toBe('AUTH_INVALID_CREDENTIALS');
    expect(await outcome(world.login('ada', NEXT))).toBe('ok');
  });

  it('does not keep a login out when it cannot be replaced', async () => {
    const failing: Partial<PasswordHasher>[] = [
      { hash: () => Promise.reject(new Error('the queue is full')) },
      { needsRehash: () => JSON.parse('{') },
      { needsRehash: () => untyped('yes') },
    ];
    for (const change of failing) {
      const { world, hash } = await outdated({ ...strong, ...change });
      expect(await outcome(world.login())).toBe('ok');
      expect(await hash()).toContain('$04$');
    }
    const { world, store } = await outdated();
    const replacePasswordHash = () => Promise.reject(new Error('down'));
    const broken = createWorld({ store: { ...store, replacePasswordHash }, hasher: strong });
    expect(await outcome(broken.login())).toBe('ok');
    expect(await outcome(world.login())).toBe('ok');
  });

  it('does not stand in the way of a change of password', async () => {
    const { world, id } = await outdated();
    const results = await Promise.all([
      outcome(world.accounts.changePassword(id, { current: PASSWORD, next: NEXT })),
      outcome(world.login()),
    ]);
    expect(results[0]).toBe('ok');
    expect(await outcome(world.login('ada', NEXT))).toBe('ok');
    expect(await outcome(world.login('ada', PASSWORD))).toBe('AUTH_INVALID_CREDENTIALS');
  });
});
