import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bearer, challengeOf, claimsOf, DEMO_PASSWORD, ids, type Service, startService } from './harness.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

describe('variant A, form login', () => {
  it('POST /token answers 200 with exactly access_token and token_type bearer', async () => {
    const answer = await service.postForm('/token', { username: 'viewer', password: DEMO_PASSWORD });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ access_token: expect.any(String), token_type: 'bearer' });
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(claimsOf(answer.body.access_token)).toMatchObject({
      sub: 'viewer',
      uid: ids.viewer,
      iat: expect.any(Number),
    });
    expect(claimsOf(answer.body.access_token)).not.toHaveProperty('email');
  });

  it('POST /token answers bad credentials with 401, {detail} and WWW-Authenticate: Bearer', async () => {
    const answer = await service.postForm('/token', { username: 'viewer', password: 'not the password' });
    expect(answer.status).toBe(401);
    expect(answer.body).toEqual({ detail: 'Invalid credentials' });
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
  });

  it('POST /token answers missing fields with 400 {error}', async () => {
    const answer = await service.postForm('/token', { username: 'viewer' });
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual({ error: expect.any(String) });
  });

  it('GET /users/me answers username, email and disabled', async () => {
    const answer = await service.fetch('/users/me', { headers: bearer(await service.token('viewer')) });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ username: 'viewer', email: expect.any(String), disabled: false });
  });

  it('GET /users/me without a token is 401 with {detail} and no error code', async () => {
    const answer = await service.fetch('/users/me');
    expect(answer.status).toBe(401);
    expect(answer.body).toEqual({ detail: 'Not authenticated' });
    expect(challengeOf(answer)).toBe('Bearer');
  });

  it('GET /ml/predict answers user and prediction', async () => {
    const answer = await service.fetch('/ml/predict', { headers: bearer(await service.token('viewer')) });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ user: 'viewer', prediction: expect.any(Number) });
    const again = await service.fetch('/ml/predict', { headers: bearer(await service.token('viewer')) });
    expect(again.body).toEqual(answer.body);
  });

  it('GET /ml/predict without a token is 401 with {detail}', async () => {
    expect(await service.fetch('/ml/predict')).toMatchObject({ status: 401, body: { detail: 'Not authenticated' } });
  });
});

describe('variant B, JSON login', () => {
  it('POST /register answers 201 with message and username', async () => {
    const answer = await service.postJson('/register', {
      username: 'Grace',
      email: 'grace@example.org',
      password: 'a good passphrase',
    });
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({ message: expect.any(String), username: 'Grace' });
  });

  it('POST /register answers an existing username with 400 {error}, in any case spelling', async () => {
    await service.postJson('/register', { username: 'Ada', email: 'ada@example.org', password: 'a good passphrase' });
    for (const username of ['Ada', 'ada', 'ADA', 'ａｄａ']) {
      const answer = await service.postJson('/register', {
        username,
        email: 'x@example.org',
        password: 'a good passphrase',
      });
      expect(answer.status, username).toBe(400);
      expect(answer.body, username).toEqual({ error: expect.any(String) });
    }
  });

  it('registering creates an account with role viewer and a GraphQL User of the same id and name', async () => {
    const { token, username, id } = await service.newcomer();
    const me = await service.fetch('/me', { headers: bearer(token) });
    expect(me.body).toMatchObject({ id, username, roles: ['viewer'], disabled: false });
    const user = await service.graphql('query($id: ID!) { user(id: $id) { id name email } }', token, { id });
    expect(user.body.data.user).toEqual({ id, name: username, email: `${username}@example.org` });
  });

  it.each([
    ['no username', { email: 'a@example.org', password: 'a good passphrase' }],
    ['no email', { username: 'nobody', password: 'a good passphrase' }],
    ['no password', { username: 'nobody', email: 'a@example.org' }],
    ['a number as username', { username: 5, email: 'a@example.org', password: 'a good passphrase' }],
    ['an empty username', { username: '', email: 'a@example.org', password: 'a good passphrase' }],
    ['65 characters of username', { username: 'a'.repeat(65), email: 'a@example.org', password: 'a good passphrase' }],
    ['a slash in the username', { username: 'a/b', email: 'a@example.org', password: 'a good passphrase' }],
    ['mixed scripts', { username: 'аdmin', email: 'a@example.org', password: 'a good passphrase' }],
    ['an e-mail without an at', { username: 'nobody', email: 'example.org', password: 'a good passphrase' }],
    ['a short password', { username: 'nobody', email: 'a@example.org', password: '1234567' }],
    ['1,025 characters of password', { username: 'nobody', email: 'a@example.org', password: 'x'.repeat(1_025) }],
    ['the username as password', { username: 'nobody-else', email: 'a@example.org', password: 'nobody-else' }],
  ])('POST /register with %s is 400 {error} and echoes no password', async (_, body: Record<string, unknown>) => {
    const answer = await service.postJson('/register', body);
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual({ error: expect.any(String) });
    if (typeof body.password === 'string' && body.password !== body.username)
      expect(answer.text).not.toContain(body.password);
  });

  it('a password of more than 72 bytes is never cut', async () => {
    const password = 'p'.repeat(100);
    await service.postJson('/register', { username: 'long.password', email: 'l@example.org', password });
    expect((await service.postJson('/login', { username: 'long.password', password })).status).toBe(200);
    expect((await service.postJson('/login', { username: 'long.password', password: 'p'.repeat(99) })).status).toBe(
      401,
    );
    expect((await service.postJson('/login', { username: 'long.password', password: 'p'.repeat(72) })).status).toBe(
      401,
    );
  });

  it('POST /login answers 200 with access_token, token_type Bearer and expires_in "30m"', async () => {
    const answer = await service.postJson('/login', { username: 'viewer', password: DEMO_PASSWORD });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ access_token: expect.any(String), token_type: 'Bearer', expires_in: '30m' });
    const claims = claimsOf(answer.body.access_token);
    expect(claims).toMatchObject({ sub: 'viewer', uid: ids.viewer, email: expect.any(String) });
    expect(claims.exp - claims.iat).toBe(1_800);
  });

  it('POST /login answers an unknown user and a wrong password byte for byte alike, with 401 {error}', async () => {
    const unknown = await service.postJson('/login', { username: 'no-such-user', password: 'whatever it is' });
    const wrong = await service.postJson('/login', { username: 'viewer', password: 'whatever it is' });
    expect(unknown.status).toBe(401);
    expect(unknown.body).toEqual({ error: 'Invalid credentials' });
    expect(unknown.headers.get('www-authenticate')).toBe('Bearer');
    expect([wrong.status, wrong.text]).toEqual([unknown.status, unknown.text]);
    const names = (headers: Headers) => [...headers.keys()].sort();
    expect(names(wrong.headers)).toEqual(names(unknown.headers));
  });

  it('POST /login with missing fields is 400 {error}', async () => {
    for (const body of [
      {},
      { username: 'viewer' },
      { password: 'x' },
      { username: 1, password: 'x' },
      { username: 'viewer', password: null },
    ]) {
      expect(await service.postJson('/login', body)).toMatchObject({
        status: 400,
        body: { error: expect.any(String) },
      });
    }
  });

  it('GET /me answers the account record without the hash, createdAt in ISO 8601 UTC', async () => {
    const answer = await service.fetch('/me', { headers: bearer(await service.token('admin')) });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ id: ids.admin, username: 'admin', email: expect.any(String) });
    expect(new Date(answer.body.createdAt).toISOString()).toBe(answer.body.createdAt);
    expect(answer.text).not.toMatch(/hash|\$2[aby]\$|password/i);
  });

  it('POST /refresh answers a new token of the same subject and leaves the old one valid', async () => {
    const old = await service.token('viewer');
    const answer = await service.fetch('/refresh', { method: 'POST', headers: bearer(old) });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ access_token: expect.any(String), token_type: 'Bearer' });
    expect(answer.body.access_token).not.toBe(old);
    const [before, after] = [claimsOf(old), claimsOf(answer.body.access_token)];
    expect(after).toMatchObject({ sub: before.sub, uid: before.uid, auth_time: before.auth_time });
    expect(after.jti).not.toBe(before.jti);
    expect((await service.fetch('/me', { headers: bearer(old) })).status).toBe(200);
    expect((await service.fetch('/me', { headers: bearer(answer.body.access_token) })).status).toBe(200);
  });

  it('POST /api/ml/predict answers user, the input echoed, result, confidence and timestamp', async () => {
    const input = { features: [1, 2, 'three'] };
    const answer = await service.postJson('/api/ml/predict', { input }, await service.token('viewer'));
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      user: 'viewer',
      input,
      result: expect.any(Number),
      confidence: expect.any(Number),
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    });
  });

  it('POST /api/ml/predict without a token is 401 {error}', async () => {
    expect(await service.postJson('/api/ml/predict', { input: 1 })).toMatchObject({
      status: 401,
      body: { error: 'Not authenticated' },
    });
  });
});

describe('tokens of the service', () => {
  it('both variants give tokens that open the routes of the other', async () => {
    const form = (await service.postForm('/token', { username: 'viewer', password: DEMO_PASSWORD })).body.access_token;
    expect((await service.fetch('/me', { headers: bearer(form) })).status).toBe(200);
    expect((await service.fetch('/users/me', { headers: bearer(await service.token('viewer')) })).status).toBe(200);
  });

  it('a token is valid until its exp and not a moment longer', async () => {
    const { token } = await service.newcomer();
    const { exp } = claimsOf(token);
    service.clock.now = exp * 1_000 - 1_000;
    expect((await service.fetch('/me', { headers: bearer(token) })).status).toBe(200);
    service.clock.now = exp * 1_000;
    const expired = await service.fetch('/me', { headers: bearer(token) });
    service.clock.reset();
    expect(expired.status).toBe(401);
    expect(challengeOf(expired)).toBe('Bearer error="invalid_token"');
  });

  it('refreshing carries auth_time forward and ends 12 hours after the login', async () => {
    let { token } = await service.newcomer();
    const { auth_time } = claimsOf(token);
    for (let minutes = 20; minutes < 12 * 60; minutes += 20) {
      service.clock.now = auth_time * 1_000 + minutes * 60_000;
      const answer = await service.fetch('/refresh', { method: 'POST', headers: bearer(token) });
      expect(answer.status, `${minutes} minutes`).toBe(200);
      token = answer.body.access_token;
      expect(claimsOf(token).auth_time).toBe(auth_time);
      expect(claimsOf(token).exp).toBeLessThanOrEqual(auth_time + 12 * 3_600);
    }
    service.clock.now = (auth_time + 12 * 3_600) * 1_000;
    const ended = await service.fetch('/refresh', { method: 'POST', headers: bearer(token) });
    service.clock.reset();
    expect(ended.status).toBe(401);
  });

  it('the token of a removed account is 401 at once, also when the username is registered again', async () => {
    const { token, username, password, id } = await service.newcomer();
    const removed = await service.fetch(`/api/users/${id}`, {
      method: 'DELETE',
      headers: bearer(await service.token('admin')),
    });
    expect(removed).toMatchObject({ status: 200, body: { message: expect.any(String) } });
    expect((await service.fetch('/me', { headers: bearer(token) })).status).toBe(401);
    await service.postJson('/register', { username, password, email: 'again@example.org' });
    expect((await service.fetch('/me', { headers: bearer(token) })).status).toBe(401);
    expect((await service.fetch('/refresh', { method: 'POST', headers: bearer(token) })).status).toBe(401);
    const user = await service.graphql('query($id: ID!) { user(id: $id) { id } }', await service.token('viewer'), {
      id,
    });
    expect(user.body).toEqual({ data: { user: null } });
  });

  it('a disabled account is 401 at once and works again when it is enabled', async () => {
    const { token, username, password, id } = await service.newcomer();
    const patch = async (disabled: boolean) =>
      service.fetch(`/api/users/${id}`, {
        method: 'PATCH',
        headers: { 'content-type': 'application/json', ...bearer(await service.token('admin')) },
        body: JSON.stringify({ disabled }),
      });
    expect((await patch(true)).status).toBe(200);
    expect((await service.fetch('/me', { headers: bearer(token) })).status).toBe(401);
    expect((await service.graphql('{ __typename }', token)).status).toBe(401);
    expect(await service.postJson('/login', { username, password })).toMatchObject({
      status: 401,
      body: { error: 'Invalid credentials' },
    });
    expect((await patch(false)).status).toBe(200);
    expect((await service.fetch('/me', { headers: bearer(token) })).status).toBe(200);
  });

  it('roles are read from the store at request time, never from the token', async () => {
    const { token, id } = await service.newcomer();
    expect((await service.fetch('/api/posts', { method: 'POST', headers: bearer(token) })).status).toBe(403);
    const setRoles = async (roles: string[]) =>
      service.fetch(`/api/users/${id}`, {
        method: 'PATCH',
        headers: { 'content-type': 'application/json', ...bearer(await service.token('admin')) },
        body: JSON.stringify({ roles }),
      });
    await setRoles(['editor']);
    expect((await service.fetch('/api/posts', { method: 'POST', headers: bearer(token) })).status).toBe(200);
    await setRoles([]);
    expect((await service.fetch('/api/posts', { headers: bearer(token) })).status).toBe(403);
  });
});
