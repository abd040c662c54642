import { describe, expect, it } from 'vitest';
import { claimsOf, createWorld, loginClaims, outcome, PASSWORD, START } from './fixture.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

describe('authenticating', () => {
  it('makes a principal of a token, with its login as the session', async () => {
    const { accounts, register, login } = createWorld();
    const { id } = await register('Ada');
    await accounts.setDepartment(id, 'sales');
    const { accessToken } = await login();
    const claims = claimsOf(accessToken);
    expect(await accounts.authenticate(accessToken)).toMatchObject({
      ok: true,
      principal: {
        id,
        roles: ['viewer'],
        attributes: { username: 'Ada', email: 'ada@example.org', department: 'sales' },
        session: {
          id: claims.sid,
          tokenId: claims.jti,
          authTime: START / 1_000,
          expiresAt: START / 1_000 + 1_800,
          amr: ['pwd'],
          acr: 'aal1',
        },
      },
    });
  });

  it('tells nobody the hash', async () => {
    const { accounts, register, login } = createWorld();
    await register();
    const { accessToken } = await login();
    expect(JSON.stringify(await accounts.authenticate(accessToken))).not.toMatch(/hash|\$2b\$/i);
  });

  it('refuses a bad token at once, with the reason in the audit', () => {
    const { accounts, audit } = createWorld();
    for (const token of ['', 'garbage', 'a.b.c', 'x'.repeat(10_000_000)]) {
      expect(accounts.authenticate(token)).toMatchObject({ ok: false });
    }
    expect(audit.map(({ type }) => type)).toEqual(Array(4).fill('token.rejected'));
    expect(JSON.stringify(audit)).not.toContain('garbage');
  });

  it('refuses a well-signed token that is not one of a login', async () => {
    const { accounts, register, sign, start } = createWorld();
    const { id } = await register();
    await start(id);
    const good = loginClaims(id);
    expect(await accounts.authenticate(sign(good))).toMatchObject({ ok: true });
    const changes = [
      { uid: undefined },
      { uid: 7 },
      { uid: [id] },
      { uid: { toString: () => id } },
      { sid: undefined },
      { auth_time: undefined },
      { auth_time: String(good.auth_time) },
      { auth_time: 2 ** 53 },
      { auth_time: 1.5 },
      { amr: undefined },
      { amr: 'pwd' },
      { amr: ['pwd', 7] },
      { acr: undefined },
      { acr: 2 },
    ];
    for (const change of changes) {
      expect(await accounts.authenticate(sign({ ...good, ...change })), JSON.stringify(change)).toEqual({
        ok: false,
        reason: 'no_login',
      });
    }
  });

  it.each(['', '__proto__', 'a\0b', '\ud800', 'x'.repeat(300), "' OR 1=1--"])(
    'finds no account of uid %.20j',
    async (uid) => {
      const { accounts, register, sign } = createWorld();
      await register();
      const token = sign(loginClaims(uid));
      expect(await accounts.authenticate(token)).toEqual({ ok: false, reason: 'unknown_account' });
    },
  );

  it('JWT-32 a token is refused while its account is disabled, and good again afterwards', async () => {
    const { accounts, register, login } = createWorld();
    const { id } = await register();
    const { accessToken } = await login();
    await accounts.disable(id);
    expect(await accounts.authenticate(accessToken)).toEqual({ ok: false, reason: 'disabled_account' });
    expect(await outcome(accounts.refresh(accessToken))).toBe('AUTH_NOT_AUTHENTICATED');
    await accounts.enable(id);
    expect(await accounts.authenticate(accessToken)).toMatchObject({ ok: true });
  });

  it('D6 a username that is registered again does not revive the tokens of its former holder', async () => {
    const { accounts, register, login } = createWorld();
    const { id } = await register();
    const { accessToken } = await login();
    await accounts.remove(id);
    expect(await accounts.authenticate(accessToken)).toEqual({ ok: false, reason: 'unknown_account' });
    const successor = await register();
    expect(successor.id).not.toBe(id);
    expect(await accounts.authenticate(accessToken)).toEqual({ ok: false, reason: 'unknown_account' });
    expect(await outcome(accounts.refresh(accessToken))).toBe('AUTH_NOT_AUTHENTICATED');
  });

  it('D6 the subject must still be the username of the account', async () => {
    const { accounts, register, sign } = createWorld();
    const { id } = await register('Ada');
    for (const sub of ['ada', 'ADA', 'eve']) {
      const token = sign({ ...loginClaims(id), sub });
      expect(await accounts.authenticate(token)).toEqual({ ok: false, reason: 'other_username' });
    }
  });

  it('AZ-07 roles are those of the store now, whatever the token says', async () => {
    const { accounts, register, sign, start } = createWorld();
    const { id } = await register();
    await start(id);
    const token = sign({ ...loginClaims(id), roles: ['admin'], role: 'admin' });
    expect(await accounts.authenticate(token)).toMatchObject({ principal: { roles: ['viewer'] } });
    await accounts.setRoles(id, ['editor']);
    expect(await accounts.authenticate(token)).toMatchObject({ principal: { roles: ['editor'] } });
    await accounts.setRoles(id, []);
    expect(await accounts.authenticate(token)).toMatchObject({ principal: { roles: [] } });
  });
});

describe('refreshing', () => {
  it('REF-01 issues a new token of the same login and leaves the old one good', async () => {
    const { accounts, register, time, audit } = createWorld();
    const { id } = await register();
    const credentials = { username: 'ada', password: PASSWORD };
    const { accessToken } = await accounts.login(credentials, {}, { includeEmail: true });
    time.now += 10 * MINUTE;
    const refreshed = await accounts.refresh(accessToken);
    const [before, after] = [claimsOf(accessToken), claimsOf(refreshed.accessToken)];
    const { iat, exp, jti, ...kept } = before;
    expect(after).toMatchObject(kept);
    expect(Object.keys(after).sort()).toEqual(Object.keys(before).sort());
    expect(after.jti).not.toBe(jti);
    expect(after.exp).toBe(Number(exp) + 600);
    expect(refreshed.expiresInSeconds).toBe(1_800);
    for (const token of [accessToken, refreshed.accessToken]) {
      expect(await accounts.authenticate(token)).toMatchObject({ ok: true });
    }
    expect(audit.at(-1)).toEqual({ type: 'token.refreshed', accountId: id, sessionId: before.sid });
  });

  it('a token without an e-mail address is refreshed without one', async () => {
    const { accounts, register, login } = createWorld();
    await register();
    const { accessToken } = await accounts.refresh((await login()).accessToken);
    expect(claimsOf(accessToken)).not.toHaveProperty('email');
  });

  it('REF-02 refuses expired tokens, garbage and tokens of removed accounts', async () => {
    const { accounts, register, login, time } = createWorld();
    const { id } = await register();
    const { accessToken } = await login();
    for (const token of ['', 'garbage', `${accessToken}x`]) {
      await expect(accounts.refresh(token)).rejects.toMatchObject({ code: 'AUTH_NOT_AUTHENTICATED', status: 401 });
    }
    time.now = START + 30 * MINUTE;
    expect(await outcome(accounts.refresh(accessToken))).toBe('AUTH_NOT_AUTHENTICATED');
    const { accessToken: fresh } = await login();
    await accounts.remove(id);
    expect(await outcome(accounts.refresh(fresh))).toBe('AUTH_NOT_AUTHENTICATED');
  });

  it('REF-03 a chain of refreshes ends 12 hours after the login, and no token of it later', async () => {
    const { accounts, register, login, time } = createWorld();
    await register();
    let { accessToken } = await login();
    for (time.now = START; time.now < START + 12 * HOUR; time.now += 10 * MINUTE) {
      const refreshed = await accounts.refresh(accessToken);
      accessToken = refreshed.accessToken;
      const { auth_time, exp, iat } = claimsOf(accessToken);
      expect(auth_time).toBe(START / 1_000);
      expect(Number(exp)).toBeLessThanOrEqual((START + 12 * HOUR) / 1_000);
      expect(refreshed.expiresInSeconds).toBe(Number(exp) - Number(iat));
    }
    expect(await outcome(accounts.refresh(accessToken))).toBe('AUTH_NOT_AUTHENTICATED');
    expect(await accounts.authenticate(accessToken)).toMatchObject({ ok: false });
  });

  it('REF-03 a token whose login is too old is not refreshed even when it has not expired', async () => {
    const { accounts, register, sign, start, audit } = createWorld();
    const { id } = await register();
    const endsAt = START + 2_592_000_000;
    await start(id, { endsAt, authTime: START / 1_000 - 43_200 });
    expect(await outcome(accounts.refresh(sign(loginClaims(id))))).toBe('AUTH_NOT_AUTHENTICATED');
    expect(audit.at(-1)).toEqual({ type: 'token.rejected', reason: 'login_too_old' });
    await start(id, { id: 'younger', endsAt, authTime: START / 1_000 - 43_199 });
    const { accessToken } = await accounts.refresh(sign({ ...loginClaims(id), sid: 'younger' }));
    expect(claimsOf(accessToken).exp).toBe(START / 1_000 + 1);
  });
});
