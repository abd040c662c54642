import { describe, expect, it } from 'vitest';
import { certified, claimsOf, createWorld, device, outcome, PASSWORD, START, untyped } from './fixture.ts';

const SECOND = 1_000;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const FROM = { ip: '192.0.2.1', requestId: 'r-1' };

const isGood = async ({ accounts }: ReturnType<typeof createWorld>, token: string): Promise<boolean> =>
  (await accounts.authenticate(token)).ok;

describe('a session', () => {
  it('is what a login starts and what its tokens name, with how and when it was proved', async () => {
    const world = createWorld();
    const { id } = await world.register();
    world.audit.length = 0;
    const login = await world.accounts.login({ username: 'ada', password: PASSWORD }, FROM, { clientId: 'app' });
    expect(login).not.toHaveProperty('refreshToken');
    expect(await world.accounts.sessionsOf(id)).toEqual([
      {
        id: login.sessionId,
        clientId: 'app',
        authTime: '2026-01-01T12:00:00.000Z',
        amr: ['pwd'],
        acr: 'aal1',
        startedAt: '2026-01-01T12:00:00.000Z',
        endsAt: '2026-01-02T00:00:00.000Z',
      },
    ]);
    expect(await world.accounts.authenticate(login.accessToken)).toMatchObject({
      principal: { session: { id: login.sessionId, acr: 'aal1', clientId: 'app' } },
    });
    expect(world.audit).toEqual([
      { type: 'login.succeeded', accountId: id, sessionId: login.sessionId, amr: ['pwd'], ...FROM },
      { type: 'token.issued', accountId: id, sessionId: login.sessionId, ...FROM },
    ]);
  });

  it.each([
    ['', 'clientId'],
    [7, 'clientId'],
    ['x'.repeat(257), 'clientId'],
  ])('is not started for the client %.10j', async (clientId, field) => {
    const world = createWorld();
    await world.register();
    const login = world.accounts.login({ username: 'ada', password: PASSWORD }, {}, { clientId: untyped(clientId) });
    await expect(login).rejects.toMatchObject({ code: 'INPUT_INVALID', field });
    expect(world.evaluations.verify).toBe(0);
  });

  it('that is not in the store has ended: a token alone opens nothing', async () => {
    const world = createWorld();
    const { id } = await world.register();
    const token = world.sign({ sub: 'ada', uid: id, auth_time: START / 1_000, sid: 'sid', amr: ['pwd'], acr: 'aal1' });
    expect(await world.accounts.authenticate(token)).toEqual({ ok: false, reason: 'session_ended' });
    expect(await outcome(world.accounts.refresh(token))).toBe('AUTH_NOT_AUTHENTICATED');
  });

  it('of another account opens nothing', async () => {
    const world = createWorld();
    await world.register();
    const { id } = await world.register('eve');
    const { sessionId } = await world.login();
    const claims = { sub: 'eve', uid: id, auth_time: START / 1_000, sid: sessionId, amr: ['pwd'], acr: 'aal1' };
    expect(await world.accounts.authenticate(world.sign(claims))).toEqual({ ok: false, reason: 'session_ended' });
  });
});

describe('logging out', () => {
  it('ends the session with all its tokens, and no other one', async () => {
    const ended: string[][] = [];
    const world = createWorld({ onSessionEnded: (...args) => ended.push(args) });
    const { id } = await world.register();
    const [phone, laptop] = [await device(world), await device(world)];
    const { accessToken } = await world.accounts.refresh(phone.accessToken);
    world.audit.length = 0;
    await world.accounts.logout(accessToken, FROM);
    expect(world.audit).toEqual([
      { type: 'session.ended', accountId: id, sessionId: phone.sessionId, reason: 'logout', ...FROM },
    ]);
    expect(ended).toEqual([[phone.sessionId, id]]);
    for (const token of [phone.accessToken, accessToken]) expect(await isGood(world, token)).toBe(false);
    expect(await outcome(world.accounts.refresh(accessToken))).toBe('AUTH_NOT_AUTHENTICATED');
    expect(await outcome(world.accounts.rotate(phone.refreshToken))).toBe('AUTH_INVALID_GRANT');
    expect(await isGood(world, laptop.accessToken)).toBe(true);
    expect(await outcome(world.accounts.rotate(laptop.refreshToken))).toBe('ok');
  });

  it('is refused with a token that is not good, and changes nothing', async () => {
    const world = createWorld();
    await world.register();
    const { accessToken } = await world.login();
    for (const token of ['', 'garbage', `${accessToken}x`]) {
      expect(await outcome(world.accounts.logout(token))).toBe('AUTH_NOT_AUTHENTICATED');
    }
    await world.accounts.logout(accessToken);
    expect(await outcome(world.accounts.logout(accessToken))).toBe('AUTH_NOT_AUTHENTICATED');
  });
});

describe('revoking', () => {
  it('one session needs the account that it belongs to', async () => {
    const world = createWorld();
    const ada = await world.register();
    const eve = await world.register('eve');
    const { accessToken, sessionId } = await world.login();
    for (const [accountId, id] of [
      [eve.id, sessionId],
      [ada.id, 'another'],
      [ada.id, ''],
      [ada.id, 'a\0b'],
      ['nobody', sessionId],
      ['a\0b', sessionId],
    ] as const) {
      expect(await world.accounts.revokeSession(accountId, id)).toBe(false);
    }
    expect(await isGood(world, accessToken)).toBe(true);
    world.audit.length = 0;
    expect(await world.accounts.revokeSession(ada.id, sessionId, FROM)).toBe(true);
    expect(await world.accounts.revokeSession(ada.id, sessionId)).toBe(false);
    expect(world.audit).toEqual([{ type: 'session.ended', accountId: ada.id, sessionId, reason: 'revoked', ...FROM }]);
    expect(await world.accounts.authenticate(accessToken)).toEqual({ ok: false, reason: 'session_ended' });
  });

  it('all sessions spares the excepted one, and closes all sockets only without an exception', async () => {
    const [revoked, ended]: [string[], string[]] = [[], []];
    const world = createWorld({ onRevoked: (id) => revoked.push(id), onSessionEnded: (id) => ended.push(id) });
    const { id } = await world.register();
    await world.register('eve');
    const [kept, other, eve] = [await world.login(), await device(world), await world.login('eve')];
    expect(await world.accounts.revokeAllFor(id, { exceptSessionId: kept.sessionId })).toBe(1);
    expect([revoked, ended]).toEqual([[], [other.sessionId]]);
    expect(await isGood(world, other.accessToken)).toBe(false);
    expect(await outcome(world.accounts.rotate(other.refreshToken))).toBe('AUTH_INVALID_GRANT');
    expect(await isGood(world, kept.accessToken)).toBe(true);
    expect(await world.accounts.revokeAllFor(id)).toBe(1);
    expect([revoked, ended]).toEqual([[id], [other.sessionId, kept.sessionId]]);
    expect(await isGood(world, kept.accessToken)).toBe(false);
    expect(await isGood(world, eve.accessToken)).toBe(true);
    expect(await world.accounts.revokeAllFor(id, { exceptSessionId: eve.sessionId })).toBe(0);
    expect(await outcome(world.login())).toBe('ok');
  });

  it('an access token leaves its session and its other tokens good', async () => {
    const world = createWorld();
    const { id } = await world.register();
    const { accessToken, refreshToken } = await device(world);
    const { accessToken: other } = await world.accounts.refresh(accessToken);
    world.audit.length = 0;
    expect(await world.accounts.revokeToken(accessToken, { caller: FROM })).toBe(true);
    const tokenId = claimsOf(accessToken).jti;
    expect(world.audit).toEqual([{ type: 'token.revoked', accountId: id, tokenId, ...FROM }]);
    expect(await world.accounts.authenticate(accessToken)).toEqual({ ok: false, reason: 'session_ended' });
    expect(await outcome(world.accounts.refresh(accessToken))).toBe('AUTH_NOT_AUTHENTICATED');
    expect(await isGood(world, other)).toBe(true);
    expect(await world.accounts.revokeToken(accessToken)).toBe(false);
    expect(await outcome(world.accounts.rotate(refreshToken))).toBe('ok');
  });

  it('a refresh token, used or not, ends its session', async () => {
    const world = createWorld();
    await world.register();
    for (const pick of ['first', 'second']) {
      const { accessToken, refreshToken: first } = await device(world);
      const { refreshToken: second } = await world.accounts.rotate(first);
      expect(await world.accounts.revokeToken(pick === 'first' ? first : second)).toBe(true);
      expect(await isGood(world, accessToken)).toBe(false);
      for (const token of [first, second])
        expect(await outcome(world.accounts.rotate(token))).toBe('AUTH_INVALID_GRANT');
    }
  });

  it('is not for strangers: another client revokes nothing', async () => {
    const world = createWorld();
    await world.register();
    const { accessToken, refreshToken } = await device(world, { clientId: 'app' });
    for (const token of [accessToken, refreshToken, 'garbage', '', untyped<string>(7), 'x'.repeat(43)]) {
      expect(await world.accounts.revokeToken(token)).toBe(false);
      expect(await world.accounts.revokeToken(token, { clientId: 'eve' })).toBe(false);
    }
    expect(await isGood(world, accessToken)).toBe(true);
    expect(await world.accounts.revokeToken(accessToken, { clientId: 'app' })).toBe(true);
    expect(await world.accounts.revokeToken(refreshToken, { clientId: 'app' })).toBe(true);
  });

  it('removing an account ends its sessions, and tells why', async () => {
    const world = createWorld();
    const { id } = await world.register();
    const { sessionId, refreshToken } = await device(world);
    world.audit.length = 0;
    await world.accounts.remove(id, FROM);
    expect(world.audit).toEqual([
      { type: 'account.removed', accountId: id, ...FROM },
      { type: 'session.ended', accountId: id, sessionId, reason: 'account_removed', ...FROM },
    ]);
    expect(await world.accounts.sessionsOf(id)).toEqual([]);
    expect(await outcome(world.accounts.rotate(refreshToken))).toBe('AUTH_INVALID_GRANT');
  });
});

describe('rotating a refresh token', () => {
  it('REF-04 gives a new access token of the same login and the next refresh token', async () => {
    const world = createWorld();
    const { id } = await world.register();
    const first = await device(world, { includeEmail: true });
    expect(first.refreshToken).toMatch(/^[\w-]{43}$/);
    world.time.now += 3 * DAY;
    world.audit.length = 0;
    const second = await world.accounts.rotate(first.refreshToken, { caller: FROM });
    expect(second).toEqual({
      accessToken: expect.any(String),
      expiresInSeconds: 1_800,
      refreshToken: expect.stringMatching(/^[\w-]{43}$/),
      sessionId: first.sessionId,
    });
    expect(second.refreshToken).not.toBe(first.refreshToken);
    const { sub, uid, sid, amr, acr, auth_time } = claimsOf(first.accessToken);
    expect(claimsOf(second.accessToken)).toMatchObject({ sub, uid, sid, amr, acr, auth_time });
    expect(await isGood(world, second.accessToken)).toBe(true);
    expect(world.audit[0]).toEqual({ type: 'token.refreshed', accountId: id, sessionId: first.sessionId, ...FROM });
    expect(claimsOf(second.accessToken)).not.toHaveProperty('email');
    const third = await world.accounts.rotate(second.refreshToken, { includeEmail: true });
    expect(claimsOf(third.accessToken)).toHaveProperty('email', 'ada@example.org');
  });

  it('CLK-05 REF-14 ends the idle time at its millisecond, and starts it anew with every use', async () => {
    const world = createWorld({ refreshIdleSeconds: 3_600 });
    await world.register();
    const { refreshToken } = await device(world);
    world.time.now = START + HOUR - 1;
    const second = await world.accounts.rotate(refreshToken);
    const { refreshToken: other } = await device(world);
    world.time.now = START + 2 * HOUR - 2;
    expect(await outcome(world.accounts.rotate(second.refreshToken))).toBe('ok');
    world.time.now = START + 2 * HOUR - 1;
    expect(await outcome(world.accounts.rotate(other))).toBe('AUTH_INVALID_GRANT');
  });

  it('CLK-05 ends the family at its absolute limit, however often it rotates, and every access token with it', async () => {
    const world = createWorld({ refreshAbsoluteSeconds: 7_200 });
    const { id } = await world.register();
    let { refreshToken, accessToken } = await device(world);
    for (world.time.now = START; world.time.now < START + 2 * HOUR; world.time.now += HOUR / 3) {
      const rotated = await world.accounts.rotate(refreshToken);
      ({ refreshToken, accessToken } = rotated);
      const { exp, iat } = claimsOf(accessToken);
      expect(exp).toBeLessThanOrEqual((START + 2 * HOUR) / SECOND);
      expect(rotated.expiresInSeconds).toBe(Number(exp) - Number(iat));
    }
    world.time.now = START + 2 * HOUR - 1;
    expect(await outcome(world.accounts.refresh(accessToken))).toBe('ok');
    ({ refreshToken } = await world.accounts.rotate(refreshToken));
    expect(await world.accounts.sessionsOf(id)).toHaveLength(1);
    world.time.now += 1;
    expect(await outcome(world.accounts.rotate(refreshToken))).toBe('AUTH_INVALID_GRANT');
    expect(await isGood(world, accessToken)).toBe(false);
    expect(await world.accounts.sessionsOf(id)).toEqual([]);
  });

  it('REF-03 does not make a bearer refresh live longer than half a day', async () => {
    const world = createWorld();
    await world.register();
    const { refreshToken } = await device(world);
    world.time.now = START + 12 * HOUR - SECOND;
    const { accessToken, refreshToken: next } = await world.accounts.rotate(refreshToken);
    expect(claimsOf((await world.accounts.refresh(accessToken)).accessToken).exp).toBe((START + 12 * HOUR) / SECOND);
    world.time.now += SECOND;
    expect(await outcome(world.accounts.refresh(accessToken))).toBe('AUTH_NOT_AUTHENTICATED');
    expect(await outcome(world.accounts.rotate(next))).toBe('ok');
  });

  it.each(['', 'x', 'x'.repeat(42), 'x'.repeat(44), `${'x'.repeat(42)}=`, 'x'.repeat(10_000_000), 7, null, ['x'], {}])(
    'refuses %.20j before it asks anybody',
    async (token) => {
      const findByRefreshToken = () => Promise.reject(new Error('asked'));
      const world = createWorld();
      const sessions = { ...world.options.sessions, findByRefreshToken };
      const { accounts, audit } = createWorld({ sessions });
      expect(await outcome(accounts.rotate(untyped(token)))).toBe('AUTH_INVALID_GRANT');
      expect(audit).toEqual([{ type: 'token.rejected', reason: 'malformed' }]);
    },
  );
});

describe('a login that is bound to a certificate', () => {
  const ours = certified('thumbprint-of-ada-s-key');
  const theirs = certified('thumbprint-of-eve-s-key');

  it('is good only together with it: every access token, every refresh and every rotation', async () => {
    const world = createWorld();
    const { accounts, audit } = world;
    await world.register();
    const { accessToken, refreshToken } = await device(world, { bindToCertificate: true }, ours);
    expect(claimsOf(accessToken).cnf).toEqual({ 'x5t#S256': 'thumbprint-of-ada-s-key' });
    for (const caller of [undefined, {}, theirs]) {
      expect(await accounts.authenticate(accessToken, caller)).toEqual({ ok: false, reason: 'confirmation' });
      expect(await outcome(accounts.refresh(accessToken, caller))).toBe('AUTH_NOT_AUTHENTICATED');
      expect(await outcome(accounts.logout(accessToken, caller))).toBe('AUTH_NOT_AUTHENTICATED');
      expect(await outcome(accounts.rotate(refreshToken, caller && { caller }))).toBe('AUTH_INVALID_GRANT');
      expect(audit.at(-1)).toMatchObject({ reason: 'confirmation' });
    }
    const refreshed = await accounts.refresh(accessToken, ours);
    const rotated = await accounts.rotate(refreshToken, { caller: ours });
    for (const token of [accessToken, refreshed.accessToken, rotated.accessToken]) {
      expect((await accounts.authenticate(token, ours)).ok).toBe(true);
      expect((await accounts.authenticate(token, theirs)).ok).toBe(false);
    }
  });

  it('needs one', async () => {
    const world = createWorld();
    await world.register();
    for (const caller of [{}, certified('')]) {
      expect(await outcome(device(world, { bindToCertificate: true }, caller))).toBe('INPUT_INVALID');
    }
    expect(world.evaluations.verify).toBe(0);
  });
});

describe('logging in somebody whose identity is proved', () => {
  it('starts a session with the given methods', async () => {
    const { accounts, register } = createWorld();
    const { id } = await register();
    const passkey = await accounts.loginVerified(id, { amr: ['hwk', 'user', 'mfa'] }, FROM, { refreshToken: true });
    expect(claimsOf(passkey.accessToken)).toMatchObject({ sub: 'ada', amr: ['hwk', 'user', 'mfa'], acr: 'aal2' });
    expect(await outcome(accounts.rotate(passkey.refreshToken ?? ''))).toBe('ok');
    const { accessToken } = await accounts.loginVerified(id, { amr: ['swk', 'user'] });
    expect(claimsOf(accessToken)).toMatchObject({ acr: 'aal1' });
  });

  it('is refused for an account that is not there or disabled, and without a method', async () => {
    const { accounts, register, audit } = createWorld();
    const { id } = await register();
    await accounts.disable(id);
    audit.length = 0;
    expect(await outcome(accounts.loginVerified(id, { amr: ['hwk'] }))).toBe('AUTH_INVALID_CREDENTIALS');
    expect(await outcome(accounts.loginVerified('nobody', { amr: ['hwk'] }, FROM))).toBe('AUTH_INVALID_CREDENTIALS');
    expect(audit).toEqual([
      { type: 'login.failed', reason: 'disabled', accountId: id },
      { type: 'login.failed', reason: 'unknown_account', ...FROM },
    ]);
    await accounts.enable(id);
    for (const amr of [[], undefined, 'hwk', [7], null]) {
      expect(await outcome(accounts.loginVerified(id, { amr: untyped(amr) }))).toBe('INPUT_INVALID');
    }
  });
});

describe('the subject of an account', () => {
  it('has the roles of the moment, and is nobody while the account is disabled or gone', async () => {
    const { accounts, register } = createWorld();
    const { id } = await register();
    await accounts.setRoles(id, ['editor']);
    expect(await accounts.subject(id)).toEqual({
      id,
      roles: ['editor'],
      attributes: { username: 'ada', email: 'ada@example.org' },
    });
    await accounts.disable(id);
    for (const unknown of [id, 'nobody', '', 'a\0b']) expect(await accounts.subject(unknown)).toBeUndefined();
  });
});
