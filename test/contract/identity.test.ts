import { generateSync } from 'otplib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bearer, challengeOf, claimsOf, DEMO_PASSWORD, type Service, startService } from './harness.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const post = (path: string, token: string, body?: unknown) =>
  service.fetch(path, {
    method: 'POST',
    headers: { ...bearer(token), ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
const get = (path: string, token: string) => service.fetch(path, { headers: bearer(token) });
const remove = (path: string, token: string) => service.fetch(path, { method: 'DELETE', headers: bearer(token) });

/** Each step of the clock counts once, so every code is one of a later step. */
function nextCode(secret: string): string {
  service.clock.now += 30_000;
  return generateSync({ secret, epoch: Math.floor(service.clock.now / 1_000) });
}

async function enrolled() {
  const somebody = await service.newcomer();
  const { secret } = (await post('/account/totp', somebody.token)).body;
  const { recoveryCodes } = (await post('/account/totp/confirm', somebody.token, { otp: nextCode(secret) })).body;
  return { ...somebody, secret: String(secret), recoveryCodes: recoveryCodes as string[] };
}

describe('sessions', () => {
  it('refreshes a token as often as it is asked, and the token before stays good', async () => {
    const { token } = await service.newcomer();
    const first = await post('/refresh', token);
    const second = await post('/refresh', token);
    for (const { status, body } of [first, second]) {
      expect(status).toBe(200);
      expect(Object.keys(body).sort()).toEqual(['access_token', 'token_type']);
      expect((await get('/me', body.access_token)).status).toBe(200);
      const [before, after] = [claimsOf(token), claimsOf(body.access_token)];
      expect(after).toMatchObject({ sub: before.sub, sid: before.sid, auth_time: before.auth_time, amr: ['pwd'] });
      expect(after.jti).not.toBe(before.jti);
    }
    expect((await get('/me', token)).status).toBe(200);
  });

  it('ends a login with all its tokens, and no other login', async () => {
    const { username, password, token } = await service.newcomer();
    const other = (await service.postJson('/login', { username, password })).body.access_token;
    const refreshed = (await post('/refresh', token)).body.access_token;
    expect((await post('/logout', refreshed)).status).toBe(200);
    for (const ended of [token, refreshed]) {
      for (const path of ['/me', '/users/me', '/api/posts', '/account/sessions']) {
        const { status, headers } = await get(path, ended);
        expect(status).toBe(401);
        expect(challengeOf({ headers })).toBe('Bearer error="invalid_token"');
      }
      expect((await post('/refresh', ended)).status).toBe(401);
      expect((await service.graphql('{ users { id } }', ended)).status).toBe(401);
    }
    expect((await get('/me', other)).status).toBe(200);
    expect((await post('/logout', 'no-token')).status).toBe(401);
    expect((await service.fetch('/logout', { method: 'POST' })).headers.get('www-authenticate')).toBe('Bearer');
  });

  it('lists the sessions of an account, and ends one or all others', async () => {
    const { username, password, token } = await service.newcomer();
    const logins = [];
    for (let count = 0; count < 3; count += 1) {
      logins.push(String((await service.postJson('/login', { username, password })).body.access_token));
    }
    const { sessions } = (await get('/account/sessions', token)).body;
    expect(sessions).toHaveLength(4);
    expect(sessions.filter(({ current }: { current: boolean }) => current)).toHaveLength(1);
    const [one = '', two = '', three = ''] = logins;
    expect((await remove(`/account/sessions/${claimsOf(one).sid}`, token)).status).toBe(200);
    expect((await get('/me', one)).status).toBe(401);
    expect((await get('/me', two)).status).toBe(200);
    expect((await remove('/account/sessions', token)).status).toBe(200);
    for (const ended of [two, three]) expect((await get('/me', ended)).status).toBe(401);
    expect((await get('/me', token)).status).toBe(200);
  });

  it('does not let one account end the session of another', async () => {
    const [ada, bob] = [await service.newcomer(), await service.newcomer()];
    expect((await remove(`/account/sessions/${claimsOf(bob.token).sid}`, ada.token)).status).toBe(404);
    expect((await get('/me', bob.token)).status).toBe(200);
  });

  it('changes a password after a recent login, and ends the other sessions', async () => {
    const { username, password, token } = await service.newcomer();
    const other = (await service.postJson('/login', { username, password })).body.access_token;
    const next = 'another long passphrase';
    expect((await post('/account/password', token, { current: 'not the password', next })).status).toBe(401);
    expect((await post('/account/password', token, { current: password, next: 'short' })).status).toBe(400);
    expect((await post('/account/password', token, { current: password, next })).status).toBe(200);
    expect((await get('/me', token)).status).toBe(200);
    expect((await get('/me', other)).status).toBe(401);
    expect((await service.postJson('/login', { username, password })).status).toBe(401);
    expect((await service.postJson('/login', { username, password: next })).status).toBe(200);
  });

  it('asks for a login of the last 15 minutes before it changes a password', async () => {
    const { password, token } = await service.newcomer();
    service.clock.now += 901_000;
    const { status, headers, body } = await post('/account/password', token, {
      current: password,
      next: 'x'.repeat(12),
    });
    expect(status).toBe(401);
    expect(body).toEqual({ error: 'A more recent or stronger login is required' });
    expect(headers.get('www-authenticate')).toMatch(
      /^Bearer error="insufficient_user_authentication".*max_age="?900"?/,
    );
  });
});

describe('a second factor', () => {
  it('is asked for after the right password only, in the form of each variant', async () => {
    const { username, password, secret } = await enrolled();
    const json = await service.postJson('/login', { username, password });
    expect([json.status, json.body]).toEqual([401, { error: 'Second factor required' }]);
    const form = await service.postForm('/token', { username, password });
    expect([form.status, form.body]).toEqual([401, { detail: 'Second factor required' }]);
    const ordinary = await service.postJson('/login', { username: 'nobody-at-all', password });
    const wrong = await service.postJson('/login', { username, password: 'wrong password', otp: nextCode(secret) });
    expect([wrong.status, wrong.text]).toEqual([ordinary.status, ordinary.text]);

    const good = await service.postJson('/login', { username, password, otp: nextCode(secret) });
    expect(good.status).toBe(200);
    expect(claimsOf(good.body.access_token)).toMatchObject({ amr: ['pwd', 'otp'], acr: 'aal2' });
    const viaForm = await service.postForm('/token', { username, password, otp: nextCode(secret) });
    expect(viaForm.status).toBe(200);
  });

  it('takes a code once, and a recovery code once', async () => {
    const { username, password, secret, recoveryCodes } = await enrolled();
    const otp = nextCode(secret);
    const login = (proof: unknown) => service.postJson('/login', { username, password, otp: proof });
    const answers = await Promise.all(Array.from({ length: 5 }, () => login(otp)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401, 401]);
    const [recovery] = recoveryCodes;
    expect((await login(recovery)).status).toBe(200);
    expect((await login(recovery)).status).toBe(401);
  });

  it('cannot be removed by a login without it, nor after 15 minutes', async () => {
    const { username, password, token, secret } = await enrolled();
    const refused = await remove('/account/totp', token);
    expect(refused.status).toBe(401);
    expect(refused.headers.get('www-authenticate')).toContain('acr_values="aal2"');
    const strong = (await service.postJson('/login', { username, password, otp: nextCode(secret) })).body.access_token;
    service.clock.now += 901_000;
    expect((await remove('/account/totp', strong)).status).toBe(401);
    const fresh = (await service.postJson('/login', { username, password, otp: nextCode(secret) })).body.access_token;
    expect((await remove('/account/totp', fresh)).status).toBe(200);
    expect((await service.postJson('/login', { username, password })).status).toBe(200);
  });

  it('refuses a passkey that nobody registered, and options for an account whose password is not known', async () => {
    const { username } = await service.newcomer();
    const options = await service.postJson('/login/passkey/options', {});
    expect(options.status).toBe(200);
    expect(options.body.allowCredentials ?? []).toEqual([]);
    const guess = await service.postJson('/login/passkey/options', { username, password: 'not the password' });
    expect(guess.status).toBe(401);
    for (const passkey of [undefined, null, 'x', {}, { id: 'AAAA', rawId: 'AAAA', type: 'public-key', response: {} }]) {
      const { status, body } = await service.postJson('/login/passkey', { passkey });
      expect([status, body]).toEqual([401, { error: 'Invalid credentials' }]);
    }
  });

  it('is gone with its account', async () => {
    const { id, username, password, token } = await enrolled();
    expect((await remove(`/api/users/${id}`, await service.token('admin'))).status).toBe(200);
    expect((await get('/me', token)).status).toBe(401);
    await service.postJson('/register', { username, password, email: 'again@example.org' });
    expect((await service.postJson('/login', { username, password })).status).toBe(200);
  });
});

describe('API keys', () => {
  const editorKey = async (scopes: string[]) => {
    const token = (await service.postJson('/login', { username: 'editor', password: DEMO_PASSWORD })).body.access_token;
    const answer = await post('/account/api-keys', token, { name: 'nightly build', scopes });
    expect(answer.status).toBe(201);
    return { token: String(token), key: String(answer.body.key), id: String(answer.body.apiKey.id) };
  };

  it('act for their account, narrowed to their scopes, over REST and GraphQL', async () => {
    const { key } = await editorKey([]);
    expect((await get('/me', key)).body.username).toBe('editor');
    expect((await get('/api/posts', key)).status).toBe(200);
    const denied = await post('/api/posts', key, { title: 'x' });
    expect([denied.status, denied.body.error]).toEqual([403, 'Forbidden']);
    expect(denied.headers.get('www-authenticate')).toMatch(/error="insufficient_scope", scope="create"/);
    const mutation = 'mutation { createPost(title: "x", content: "y") { id } }';
    expect((await service.graphql(mutation, key)).body.errors[0].extensions.code).toBe('FORBIDDEN');

    const { key: creating } = await editorKey(['create']);
    expect((await post('/api/posts', creating, { title: 'x' })).status).toBe(200);
    expect((await service.graphql(mutation, creating)).body.errors).toBeUndefined();
    // A scope never adds to the roles: editors delete nothing.
    const { key: deleting } = await editorKey(['delete']);
    expect((await remove('/api/posts/none', deleting)).status).toBe(403);
  });

  it('need the scope ml.predict to predict, which a login does not', async () => {
    const { token, key } = await editorKey(['create']);
    const { key: predicting } = await editorKey(['ml.predict']);
    const predict = (bearer: string) => post('/api/ml/predict', bearer, { input: 1 });
    for (const denied of [await get('/ml/predict', key), await predict(key)]) {
      expect(denied.status).toBe(403);
      expect(challengeOf(denied)).toBe('Bearer error="insufficient_scope", scope="ml.predict"');
    }
    for (const good of [token, predicting]) {
      expect((await get('/ml/predict', good)).status).toBe(200);
      expect((await predict(good)).status).toBe(200);
    }
  });

  it('never pass for a recent login', async () => {
    const { key, id } = await editorKey(['manage_users']);
    expect((await post('/account/api-keys', key, { name: 'x', scopes: [] })).status).toBe(401);
    expect((await remove(`/account/api-keys/${id}`, key)).status).toBe(401);
    expect((await post('/account/totp', key)).status).toBe(401);
    expect((await remove('/account/sessions', key)).status).toBe(403);
    expect((await post('/refresh', key)).status).toBe(401);
  });

  it('are replaced with an overlap, listed without a secret, and end when removed', async () => {
    const { token, key, id } = await editorKey([]);
    const next = await post(`/account/api-keys/${id}/replace`, token, { overlapSeconds: 60 });
    expect(next.status).toBe(201);
    for (const good of [key, next.body.key]) expect((await get('/me', good)).status).toBe(200);
    service.clock.now += 61_000;
    expect((await get('/me', key)).status).toBe(401);
    expect((await get('/me', next.body.key)).status).toBe(200);
    const { text } = await get('/account/api-keys', token);
    expect(text).not.toContain(String(next.body.key).split('_').at(-1));
    expect(text).not.toContain('hash');
    expect((await remove(`/account/api-keys/${next.body.apiKey.id}`, token)).status).toBe(200);
    expect((await get('/me', next.body.key)).status).toBe(401);
  });
});

it('publishes the key of OAuth tokens, and never the secret that signs logins', async () => {
  const { status, body, headers } = await service.fetch('/jwks');
  expect([status, body.keys.length]).toEqual([200, 1]);
  expect(body.keys[0]).toMatchObject({ kty: 'RSA', alg: 'RS256', use: 'sig' });
  expect(headers.get('cache-control')).toContain('public');
});
