import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { claimsOf } from '../accounts/fixture.ts';
import { type Answer, type IdentityDesk, openIdentityDesk, PASSWORD } from './identity-desk.ts';

let desk: IdentityDesk;
beforeAll(() => {
  desk = openIdentityDesk();
});
afterAll(() => desk.close());

let count = 0;
const newcomer = async () => {
  count += 1;
  const username = `somebody-${count}`;
  return { username, ...(await desk.newcomer(username)) };
};
const told = ({ status, body }: Answer) => [status, body];
const challengeOf = ({ headers }: Answer) => headers.get('www-authenticate');

describe('sessionRoutes', () => {
  it('POST /logout ends the login of the token', async () => {
    const { token } = await newcomer();
    expect(told(await desk.call('POST', '/logout', token))).toEqual([200, { message: 'Logged out' }]);
    const again = await desk.call('POST', '/logout', token);
    expect([...told(again), challengeOf(again)]).toEqual([
      401,
      { error: 'Not authenticated' },
      'Bearer error="invalid_token"',
    ]);
    expect(challengeOf(await desk.call('POST', '/logout'))).toBe('Bearer');
  });

  it('GET /account/sessions tells which one is asking', async () => {
    const { username, token } = await newcomer();
    await desk.login(username);
    const { sessions } = (await desk.call('GET', '/account/sessions', token)).body;
    expect(Object.keys(sessions[0]).sort()).toEqual([
      ...['acr', 'amr', 'authTime', 'current', 'endsAt', 'id', 'startedAt'],
    ]);
    expect(sessions.map(({ current }: { current: boolean }) => current)).toEqual([true, false]);
    expect(sessions[0].id).toBe(claimsOf(token).sid);
  });

  it('DELETE /account/sessions/{id} and DELETE /account/sessions end one, and all others', async () => {
    const { username, token } = await newcomer();
    const [one, two, three] = [await desk.login(username), await desk.login(username), await desk.login(username)];
    const path = `/account/sessions/${claimsOf(one).sid}`;
    expect(told(await desk.call('DELETE', path, token))).toEqual([200, { message: 'Session ended' }]);
    expect((await desk.call('DELETE', path, token)).status).toBe(404);
    expect((await desk.call('GET', '/me', two)).status).toBe(200);
    const message = 'All other sessions ended';
    expect(told(await desk.call('DELETE', '/account/sessions', token))).toEqual([200, { message }]);
    for (const ended of [one, two, three]) expect((await desk.call('GET', '/me', ended)).status).toBe(401);
    expect((await desk.call('GET', '/me', token)).status).toBe(200);
  });

  it('POST /account/password asks for the current password and a recent login', async () => {
    const { token } = await newcomer();
    const next = 'another long passphrase';
    const change = (current: unknown) => desk.call('POST', '/account/password', token, { current, next });
    const wrong = await change('wrong');
    expect([...told(wrong), challengeOf(wrong)]).toEqual([401, { error: 'Invalid credentials' }, 'Bearer']);
    expect((await change(7)).status).toBe(400);
    expect(told(await change(PASSWORD))).toEqual([200, { message: 'Password changed' }]);
    desk.clock.now += 901_000;
    expect(challengeOf(await change(next))).toContain('max_age="900"');
  });
});

describe('totpRoutes and passkeyRoutes', () => {
  it('enrols, shows, refreshes and removes an authenticator app', async () => {
    const { username, token } = await newcomer();
    const other = await desk.login(username);
    const { code, recoveryCodes } = await desk.withTotp(token);
    expect(recoveryCodes).toHaveLength(10);
    expect((await desk.call('GET', '/me', other)).status).toBe(401);
    const shown = { confirmed: true, recoveryCodesLeft: 10 };
    expect(told(await desk.call('GET', '/account/totp', token))).toEqual([200, shown]);
    expect(told(await desk.call('GET', '/account/passkeys', token))).toEqual([200, { passkeys: [] }]);

    const refused = await desk.call('DELETE', '/account/totp', token);
    expect([refused.status, challengeOf(refused)]).toEqual([401, expect.stringContaining('acr_values="aal2"')]);
    const strong = await desk.login(username, { otp: code() });
    expect(claimsOf(strong)).toMatchObject({ amr: ['pwd', 'otp'], acr: 'aal2' });
    const fresh = (await desk.call('POST', '/account/totp/recovery-codes', strong)).body.recoveryCodes;
    expect(new Set([...fresh, ...recoveryCodes]).size).toBe(20);
    expect((await desk.call('POST', '/account/totp', strong)).body.error).toMatch(/^otp is enrolled already/);
    expect((await desk.call('DELETE', '/account/totp', strong)).status).toBe(200);
    expect((await desk.call('GET', '/me', token)).status).toBe(401);
    for (const [method, path] of [
      ['DELETE', '/account/totp'],
      ['POST', '/account/totp/recovery-codes'],
    ] as const) {
      expect((await desk.call(method, path, strong)).status).toBe(404);
    }
  });

  it('an enrolment that is not confirmed changes nothing', async () => {
    const { username, token } = await newcomer();
    expect((await desk.call('POST', '/account/totp', token)).body.uri).toContain(`Example:${username}?`);
    const wrong = await desk.call('POST', '/account/totp/confirm', token, { otp: 'x' });
    expect(told(wrong)).toEqual([400, { error: 'otp is not the code of this enrolment' }]);
    expect(claimsOf(await desk.login(username)).acr).toBe('aal1');
    expect((await desk.call('DELETE', '/account/totp', token)).status).toBe(200);
  });

  it('adds a passkey, logs in with it alone and beside the password, and removes it', async () => {
    const { username, token } = await newcomer();
    const authenticator = await desk.withPasskey(token);
    const { passkeys } = (await desk.call('GET', '/account/passkeys', token)).body;
    expect(passkeys).toEqual([expect.objectContaining({ id: authenticator.id, label: 'Passkey' })]);
    expect((await desk.call('POST', '/account/passkeys/options', token)).status).toBe(401);

    const any = await desk.call('POST', '/login/passkey/options');
    expect(any.body).toMatchObject({ allowCredentials: [], userVerification: 'required' });
    const alone = await desk.call('POST', '/login/passkey', undefined, { passkey: authenticator.get(any.body) });
    expect(alone.body).toEqual({ access_token: expect.any(String), token_type: 'Bearer', expires_in: '30m' });
    expect(claimsOf(alone.body.access_token)).toMatchObject({ amr: ['hwk', 'user', 'mfa'], acr: 'aal2' });

    const credentials = { username, password: PASSWORD };
    const own = await desk.call('POST', '/login/passkey/options', undefined, credentials);
    expect(own.body.allowCredentials).toEqual([expect.objectContaining({ id: authenticator.id })]);
    const strong = await desk.login(username, { passkey: authenticator.get(own.body) });
    expect(claimsOf(strong)).toMatchObject({ amr: ['pwd', 'hwk', 'user', 'mfa'], acr: 'aal2' });

    const path = `/account/passkeys/${authenticator.id}`;
    expect((await desk.call('DELETE', path, strong)).status).toBe(200);
    expect((await desk.call('DELETE', path, strong)).status).toBe(404);
    expect(claimsOf(await desk.login(username)).acr).toBe('aal1');
  });

  it.each([{}, { passkey: 7 }, { passkey: {}, label: 7 }, { passkey: {}, label: '' }])(
    'refuses %j for a passkey',
    async (body) => {
      const { token } = await newcomer();
      expect((await desk.call('POST', '/account/passkeys', token, body)).status).toBe(400);
    },
  );

  it.each([[undefined], [null], ['x'], [[]], [{}]])('refuses the login with the passkey %j', async (passkey) => {
    const answer = await desk.call('POST', '/login/passkey', undefined, { passkey });
    expect([...told(answer), challengeOf(answer)]).toEqual([401, { error: 'Invalid credentials' }, 'Bearer']);
  });

  it.each([null, 7, ''])(
    'POST /login/passkey/options with the username %j is no anonymous request',
    async (username) => {
      const { status } = await desk.call('POST', '/login/passkey/options', undefined, { username, password: PASSWORD });
      expect([400, 401]).toContain(status);
    },
  );
});

describe('apiKeyRoutes', () => {
  it('makes, lists, replaces and removes keys', async () => {
    const { token, username } = await newcomer();
    const made = await desk.call('POST', '/account/api-keys', token, { name: 'one', scopes: ['create'] });
    expect([made.status, Object.keys(made.body).sort()]).toEqual([201, ['apiKey', 'key']]);
    expect((await desk.call('GET', '/me', made.body.key)).body.username).toBe(username);
    const path = `/account/api-keys/${made.body.apiKey.id}`;
    const next = await desk.call('POST', `${path}/replace`, token, { overlapSeconds: 0 });
    expect(next.status).toBe(201);
    expect((await desk.call('GET', '/me', made.body.key)).status).toBe(401);
    expect((await desk.call('POST', `${path}/replace`, token)).status).toBe(404);
    const { apiKeys } = (await desk.call('GET', '/account/api-keys', token)).body;
    expect(apiKeys).toContainEqual(next.body.apiKey);
    expect((await desk.call('DELETE', `/account/api-keys/${next.body.apiKey.id}`, token)).status).toBe(200);
    expect((await desk.call('GET', '/me', next.body.key)).status).toBe(401);
    expect((await desk.call('DELETE', '/account/api-keys/none', token)).status).toBe(404);
  });

  it.each([{}, { name: 'x' }, { name: 'x', scopes: ['everything'] }])('refuses to make %j', async (body) => {
    expect((await desk.call('POST', '/account/api-keys', (await newcomer()).token, body)).status).toBe(400);
  });
});
