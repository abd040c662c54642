import { accountRoutes, createGate, createRouter } from 'doorward/http';
import { contractRoles } from 'doorward/rbac';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { bearer, type Desk, INFO, openDesk, PASSWORD, sendJson } from './support.ts';

let desk: Desk;
let token: string;
beforeAll(async () => {
  desk = await openDesk();
  token = (await desk.accounts.login({ username: 'ada', password: PASSWORD })).accessToken;
});
afterAll(() => desk.close());

const form = (fields: Record<string, string>): RequestInit => ({ body: new URLSearchParams(fields) });
const credentials = { username: 'ada', password: PASSWORD };

describe('LOG-01 the shapes of the answers', () => {
  it('POST /token takes a form and answers token_type bearer', async () => {
    const response = await desk.call('POST', '/token', form(credentials));
    expect(response.status).toBe(200);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(await response.json()).toEqual({ access_token: expect.any(String), token_type: 'bearer' });
  });

  it('POST /login takes JSON and answers token_type Bearer and expires_in as text', async () => {
    const response = await desk.call('POST', '/login', sendJson(credentials));
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({
      access_token: expect.any(String),
      token_type: 'Bearer',
      expires_in: '30m',
    });
  });

  it.each([
    [90, '90s'],
    [900, '15m'],
    [3_600, '1h'],
    [5_400, '90m'],
  ])('a token of %i seconds expires in %s', async (ttlSeconds, expires_in) => {
    const other = await openDesk({ ttlSeconds });
    expect(await (await other.call('POST', '/login', sendJson(credentials))).json()).toMatchObject({ expires_in });
    await other.close();
  });

  it('POST /register answers 201 with message and username, and 400 {error} for the same name', async () => {
    const body = { username: 'grace', password: 'another passphrase', email: 'grace@example.org' };
    const first = await desk.call('POST', '/register', sendJson(body));
    expect(first.status).toBe(201);
    expect(await first.json()).toEqual({ message: 'User registered', username: 'grace' });
    const second = await desk.call('POST', '/register', sendJson(body));
    expect(second.status).toBe(400);
    expect(await second.json()).toEqual({ error: 'Username already exists' });
  });

  it('GET /users/me answers username, email and disabled', async () => {
    const response = await desk.call('GET', '/users/me', bearer(token));
    expect(await response.json()).toEqual({ username: 'Ada', email: 'ada@example.org', disabled: false });
  });

  it('GET /me answers the record and nothing like a hash', async () => {
    const text = await (await desk.call('GET', '/me', bearer(token))).text();
    expect(JSON.parse(text)).toMatchObject({ username: 'Ada', email: 'ada@example.org', roles: ['viewer'] });
    expect(text).not.toMatch(/hash|\$2/i);
  });

  it('POST /refresh answers a new token for the old one', async () => {
    const response = await desk.call('POST', '/refresh', bearer(token));
    const body = (await response.json()) as { access_token: string };
    expect(body).toEqual({ access_token: expect.any(String), token_type: 'Bearer' });
    expect(body.access_token).not.toBe(token);
    expect((await desk.call('GET', '/me', bearer(body.access_token))).status).toBe(200);
  });
});

describe('refusals', () => {
  it('wrong credentials are 401, with detail at /token and error at /login', async () => {
    const wrong = { username: 'ada', password: 'not the passphrase' };
    const viaForm = await desk.call('POST', '/token', form(wrong));
    const viaJson = await desk.call('POST', '/login', sendJson(wrong));
    expect([viaForm.status, viaJson.status]).toEqual([401, 401]);
    expect(await viaForm.json()).toEqual({ detail: 'Invalid credentials' });
    expect(await viaJson.json()).toEqual({ error: 'Invalid credentials' });
    for (const { headers } of [viaForm, viaJson]) expect(headers.get('www-authenticate')).toBe('Bearer');
  });

  it.each([
    ['/token', form({ username: 'ada' })],
    ['/token', form({ password: 'x' })],
    ['/token', { body: '', headers: { 'content-type': 'application/x-www-form-urlencoded' } }],
    ['/login', sendJson({ username: 'ada' })],
    ['/login', sendJson({ password: PASSWORD })],
    ['/login', sendJson({ username: { $ne: null }, password: PASSWORD })],
    ['/login', sendJson({ username: ['ada'], password: PASSWORD })],
    ['/register', sendJson({ username: 'new', password: PASSWORD })],
    ['/register', sendJson({ username: 'new', password: PASSWORD, email: null })],
  ] as [string, RequestInit][])('%s without the right fields is 400 {error}', async (path, init) => {
    const response = await desk.call('POST', path, init);
    expect(response.status).toBe(400);
    const text = await response.text();
    expect(JSON.parse(text)).toEqual({ error: expect.any(String) });
    expect(text).not.toContain(PASSWORD);
  });

  it.each([
    ['GET', '/users/me', 'detail'],
    ['GET', '/me', 'error'],
    ['POST', '/refresh', 'error'],
  ])('%s %s without a token, and with a bad one, is 401 {%s}', async (method, path, bodyKey) => {
    for (const [init, challenge] of [
      [{}, 'Bearer'],
      [bearer('not.a.token'), 'Bearer error="invalid_token"'],
      [bearer('two tokens'), 'Bearer error="invalid_token"'],
    ] as const) {
      const response = await desk.call(method, path, init);
      expect(response.status).toBe(401);
      expect(response.headers.get('www-authenticate')).toBe(challenge);
      expect(await response.json()).toEqual({ [bodyKey]: 'Not authenticated' });
    }
  });

  it('a token in the query or in the body counts for nothing', async () => {
    expect((await desk.call('GET', `/me?access_token=${token}`)).status).toBe(401);
    expect((await desk.call('POST', '/refresh', sendJson({ access_token: token, token }))).status).toBe(401);
  });

  it.each([
    ['/login', form(credentials)],
    ['/register', form(credentials)],
    ['/token', sendJson(credentials)],
  ] as [string, RequestInit][])('LOG-23 the wrong form of body at %s is 415', async (path, init) => {
    expect((await desk.call('POST', path, init)).status).toBe(415);
  });

  it.each([
    ['no content type', { body: Buffer.from(JSON.stringify(credentials)) }],
    ['text/plain', { body: JSON.stringify(credentials), headers: { 'content-type': 'text/plain' } }],
    ['utf-16', sendJson(credentials, { 'content-type': 'application/json;charset=utf-16' })],
    ['gzip', sendJson(credentials, { 'content-encoding': 'gzip' })],
  ] as [string, RequestInit][])('LOG-22 %s is 415 and no credential is checked', async (_, init) => {
    const login = vi.spyOn(desk.accounts, 'login');
    expect((await desk.call('POST', '/login', init)).status).toBe(415);
    expect(login).not.toHaveBeenCalled();
    login.mockRestore();
  });

  it('a body over 16 KiB is 413', async () => {
    for (const path of ['/login', '/register']) {
      expect((await desk.call('POST', path, sendJson({ password: 'x'.repeat(16_384) }))).status).toBe(413);
    }
    expect((await desk.call('POST', '/token', form({ password: 'x'.repeat(16_384) }))).status).toBe(413);
  });

  it('an account that goes between the check of its token and the answer is 401', async () => {
    const other = await openDesk();
    const { accessToken } = await other.accounts.login(credentials);
    vi.spyOn(other.accounts, 'byId').mockResolvedValue(undefined);
    expect(await (await other.call('GET', '/users/me', bearer(accessToken))).json()).toEqual({
      detail: 'Not authenticated',
    });
    expect((await other.call('GET', '/me', bearer(accessToken))).status).toBe(401);
    await other.close();
  });

  it('a service that is no account is 403: it is known, and no other token would help', async () => {
    const service = { id: 'service:billing', roles: [], attributes: {} };
    const gate = createGate({
      authenticate: desk.accounts.authenticate,
      authenticateCaller: () => ({ ok: true, principal: service }),
      pdp: contractRoles,
    });
    const handler = createRouter(accountRoutes(desk.accounts, gate));
    for (const path of ['/me', '/users/me']) {
      const response = await handler(new Request(`http://localhost${path}`), INFO);
      expect(response.status).toBe(403);
      expect(await response.json()).toEqual({ error: 'Forbidden', message: 'Requires an account' });
    }
  });
});

describe('methods and caches', () => {
  it('LOG-26 HEAD /me has the status of GET and no body; OPTIONS and POST are 405', async () => {
    for (const init of [{}, bearer(token)]) {
      const [head, get] = [await desk.call('HEAD', '/me', init), await desk.call('GET', '/me', init)];
      expect(head.status).toBe(get.status);
      expect(await head.text()).toBe('');
    }
    for (const method of ['OPTIONS', 'POST']) {
      const response = await desk.call(method, '/me', bearer(token));
      expect(response.status).toBe(405);
      expect(response.headers.get('allow')).toBe('GET');
      expect(await response.text()).not.toContain('Ada');
    }
  });

  it('HTTP-23 conditional and partial requests get the full answer', async () => {
    const headers = { authorization: `Bearer ${token}`, 'if-none-match': '*', range: 'bytes=0-1' };
    const response = await desk.call('GET', '/me', { headers });
    expect(response.status).toBe(200);
    expect(response.headers.has('etag')).toBe(false);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(await response.json()).toMatchObject({ username: 'Ada' });
  });
});
