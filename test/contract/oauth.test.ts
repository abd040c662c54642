import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { bearer, claimsOf } from './harness.ts';
import { basic, type Desk, openDesk, SECRET_OF_WEB, VERIFIER } from './oauth-desk.ts';
import { visitor } from './visitor.ts';

const REDIRECT = 'http://localhost:3000/callback';
const CODE = /^[\w-]{43}$/;
let desk: Desk;
beforeAll(async () => {
  desk = await openDesk({ REFRESH_GRACE_SECONDS: '10' });
});
afterEach(() => desk.clock.reset());
afterAll(() => desk.close());

const codeOf = (url: URL) => url.searchParams.get('code') ?? '';
const exchange = (code: string, changes: Record<string, string | undefined> = {}, headers = {}) =>
  desk.token(
    {
      grant_type: 'authorization_code',
      code,
      client_id: 'spa',
      redirect_uri: REDIRECT,
      code_verifier: VERIFIER,
      ...changes,
    },
    headers,
  );
/** The same over a connection of its own, which ends with the answer. */
async function exchangeOver(socket: Socket, code: string) {
  const fields = { grant_type: 'authorization_code', code, client_id: 'spa', redirect_uri: REDIRECT };
  const form = String(new URLSearchParams({ ...fields, code_verifier: VERIFIER }));
  const head = ['POST /oauth/token HTTP/1.1', 'host: localhost', 'connection: close', `content-length: ${form.length}`];
  socket.write([...head, 'content-type: application/x-www-form-urlencoded', '', form].join('\r\n'));
  const answer = await text(socket);
  return { status: Number(answer.split(' ')[1]), body: JSON.parse(answer.slice(answer.indexOf('\r\n\r\n'))) };
}
const refresh = (refresh_token: string, changes: Record<string, string | undefined> = {}) =>
  desk.token({ grant_type: 'refresh_token', refresh_token, client_id: 'spa', ...changes });
const me = async (token: string) => (await desk.fetch('/me', { headers: bearer(token) })).status;
const headerOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString());

describe('GET /authorize', () => {
  it('sends the browser back with code, the state unchanged, and iss', async () => {
    for (const state of ['plain', 'a b+c/d=e&f?g#h%20i"é', 'x'.repeat(1_000)]) {
      const back = await desk.authorize({ state });
      expect(back.origin + back.pathname).toBe(REDIRECT);
      expect(codeOf(back)).toMatch(CODE);
      expect(back.searchParams.get('state')).toBe(state);
      expect(back.searchParams.get('iss')).toBe(desk.url);
      expect([...back.searchParams.keys()].sort()).toEqual(['code', 'iss', 'state']);
    }
    const without = await desk.authorize({ state: undefined });
    expect([...without.searchParams.keys()].sort()).toEqual(['code', 'iss']);
  });

  it('keeps the query of a registered redirect URI', async () => {
    const back = await desk.authorize({ client_id: 'web', redirect_uri: 'http://localhost:3000/second?kept=yes' });
    expect(back.searchParams.get('kept')).toBe('yes');
    expect(codeOf(back)).toMatch(CODE);
  });

  it.each([
    ['no client', { client_id: undefined }],
    ['an unknown client', { client_id: 'nobody' }],
    ['no redirect URI', { redirect_uri: undefined }],
    ['a longer redirect URI', { redirect_uri: `${REDIRECT}/more` }],
    ['another case', { redirect_uri: 'http://localhost:3000/Callback' }],
    ['another port of a client that is not native', { redirect_uri: 'http://localhost:3001/callback' }],
    ['a query that is not registered', { redirect_uri: `${REDIRECT}?x=1` }],
    ['a script', { redirect_uri: 'javascript:alert(1)' }],
    ['localhost on another port', { client_id: 'native', redirect_uri: 'http://localhost:51004/cb' }],
    ['another loopback address', { client_id: 'native', redirect_uri: 'http://127.0.0.2:51004/cb' }],
  ])('never redirects for %s: a page', async (_, changes) => {
    const page = await visitor().open(desk.authorizeUrl(changes));
    expect(page.status).toBe(400);
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(page.headers.get('location')).toBeNull();
    expect(page.headers.getSetCookie()).toEqual([]);
    expect(page.html).not.toContain('javascript:');
  });

  it.each(['http://127.0.0.1:51004/cb', 'http://[::1]:51004/cb', 'org.example.app:/cb', 'http://127.0.0.1/cb'])(
    'takes any loopback port of a native client: %s',
    async (redirect_uri) => {
      const back = await desk.authorize({ client_id: 'native', redirect_uri, scope: 'openid' });
      expect(String(back).startsWith(redirect_uri)).toBe(true);
    },
  );

  it.each([
    ['response_type', { response_type: undefined }, 'invalid_request'],
    ['response_type token', { response_type: 'token' }, 'unsupported_response_type'],
    ['response_type id_token', { response_type: 'id_token' }, 'unsupported_response_type'],
    ['response_type code token', { response_type: 'code token' }, 'unsupported_response_type'],
    ['response_mode fragment', { response_mode: 'fragment' }, 'invalid_request'],
    ['no challenge', { code_challenge: undefined }, 'invalid_request'],
    ['no challenge method, which would mean plain', { code_challenge_method: undefined }, 'invalid_request'],
    ['the method plain', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['a challenge of 42 characters', { code_challenge: 'a'.repeat(42) }, 'invalid_request'],
    ['a challenge with padding', { code_challenge: `${'a'.repeat(42)}=` }, 'invalid_request'],
    ['a challenge with a plus sign', { code_challenge: `${'a'.repeat(42)}+` }, 'invalid_request'],
    ['a scope of nobody', { scope: 'openid world' }, 'invalid_scope'],
    ['a scope of other clients', { client_id: 'poster', scope: 'ml.predict' }, 'invalid_scope'],
    ['a scope with quotes', { scope: 'a"b' }, 'invalid_scope'],
    ['two spaces in the scope', { scope: 'openid  profile' }, 'invalid_scope'],
    ['a resource of others', { resource: 'https://elsewhere.example.org' }, 'invalid_target'],
    ['prompt none with others', { prompt: 'none login' }, 'invalid_request'],
    ['prompt none without a login', { prompt: 'none' }, 'login_required'],
    ['max_age that is no number', { max_age: 'soon' }, 'invalid_request'],
    ['a request object', { request: 'e30.e30.' }, 'request_not_supported'],
    ['a request_uri', { request_uri: 'https://x.example.org/r' }, 'request_uri_not_supported'],
  ])('redirects with an error: %s', async (_, changes, error) => {
    const page = await visitor().open(desk.authorizeUrl({ state: 'kept', ...changes }));
    expect([302, 303]).toContain(page.status);
    const back = new URL(page.headers.get('location') ?? '');
    expect(back.origin + back.pathname).toBe(REDIRECT);
    expect(back.searchParams.get('error')).toBe(error);
    expect(back.searchParams.get('state')).toBe('kept');
    expect(back.searchParams.get('iss')).toBe(desk.url);
    expect(back.searchParams.has('code')).toBe(false);
    expect(back.hash).toBe('');
  });

  it('refuses repeated parameters', async () => {
    const url = desk.authorizeUrl();
    url.searchParams.append('scope', 'openid');
    const { headers } = await visitor().open(url);
    expect(new URL(headers.get('location') ?? '').searchParams.get('error')).toBe('invalid_request');
    const twice = desk.authorizeUrl();
    twice.searchParams.append('redirect_uri', 'https://evil.example.org');
    expect((await visitor().open(twice)).status).toBe(400);
  });

  it('takes an authorization request by POST too, and other methods not', async () => {
    const url = desk.authorizeUrl();
    const page = await visitor().open(new URL('/authorize', url), { method: 'POST', body: url.searchParams });
    expect(page.status).toBe(303);
    expect((await desk.fetch('/authorize', { method: 'DELETE' })).status).toBe(405);
  });
});

describe('the pages', () => {
  it('are HTML without scripts, in no cache, in no frame, and tell no address', async () => {
    const page = await visitor().open(desk.authorizeUrl());
    expect(page.status).toBe(200);
    const policy = page.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain('script-src');
    expect(page.headers.get('x-frame-options')).toBe('DENY');
    expect(page.headers.get('referrer-policy')).toBe('no-referrer');
    expect(page.headers.get('cache-control')).toBe('no-store');
    expect(page.html).not.toMatch(/<script|\son\w+=/i);
  });

  it('after a wrong password is the login page again, alike for unknown names', async () => {
    const answers = [];
    for (const username of ['viewer', 'nobody-at-all']) {
      const somebody = visitor();
      const page = await somebody.submit(await somebody.open(desk.authorizeUrl({ state: 's' })), {
        username,
        password: 'not the password',
        action: 'login',
      });
      expect(page.status).toBe(401);
      expect(page.headers.get('location')).toBeNull();
      answers.push(page.html.replaceAll(username, 'NAME').replaceAll(/value="[^"]{20,}"/g, ''));
    }
    expect(answers[0]).toBe(answers[1]);
  });

  it('a refusal is access_denied', async () => {
    const denied = await desk.authorize(
      { scope: 'openid delete', state: 'kept' },
      { decision: 'deny', username: 'moderator' },
    );
    expect(denied.searchParams.get('error')).toBe('access_denied');
    expect(denied.searchParams.get('state')).toBe('kept');
    expect(denied.searchParams.get('iss')).toBe(desk.url);
  });

  it('consent is asked the first time, remembered by client and scope, and can be taken back', async () => {
    const { username, password, token } = await desk.newcomer();
    const somebody = visitor();
    const asked = async (scope: string) => {
      const page = await somebody.open(desk.authorizeUrl({ scope }));
      return page.html.includes('name="password"')
        ? (await somebody.submit(page, { username, password, action: 'login' })).html.includes('value="allow"')
        : page.html.includes('value="allow"');
    };
    expect(await asked('openid')).toBe(true);
    await somebody.authorize(desk.authorizeUrl({ scope: 'openid' }), { username, password });
    expect(await asked('openid')).toBe(false);
    expect(await asked('openid create')).toBe(true);
    const back = await somebody.authorize(desk.authorizeUrl({ scope: 'openid', prompt: 'none' }));
    const { body } = await exchange(codeOf(back));
    const list = await desk.fetch('/account/consents', { headers: bearer(token) });
    expect(list.body.consents).toMatchObject([{ clientId: 'spa' }]);
    const removed = await desk.fetch('/account/consents/spa', { method: 'DELETE', headers: bearer(token) });
    expect(removed.status).toBe(200);
    expect(await asked('openid')).toBe(true);
    expect(await me(body.access_token)).toBe(401);
    expect((await refresh(body.refresh_token)).body.error).toBe('invalid_grant');
  });

  it('an application of our own needs no consent', async () => {
    const somebody = visitor();
    const page = await somebody.open(desk.authorizeUrl({ client_id: 'ours', scope: 'openid' }));
    const next = await somebody.submit(page, {
      username: 'viewer',
      password: 'correct horse battery staple',
      action: 'login',
    });
    expect(next.headers.get('location')).toContain('code=');
  });

  it('a form of another browser does nothing', async () => {
    const [victim, attacker] = [visitor(), visitor()];
    const page = await attacker.open(desk.authorizeUrl());
    await victim.open(desk.authorizeUrl());
    const answer = await victim.submit(page, {
      username: 'viewer',
      password: 'correct horse battery staple',
      action: 'login',
    });
    expect(answer.status).toBe(403);
    expect(answer.headers.get('location')).toBeNull();
  });

  it('prompt=login and max_age ask for a new login, and the code tells of it', async () => {
    const somebody = visitor();
    await somebody.authorize(desk.authorizeUrl());
    desk.clock.now = Date.now() + 120_000;
    for (const changes of [{ prompt: 'login' }, { max_age: '60' }, { max_age: '0' }]) {
      const page = await somebody.open(desk.authorizeUrl(changes));
      expect(page.html).toContain('name="password"');
    }
    const old = await somebody.open(desk.authorizeUrl({ max_age: '600', prompt: 'none' }));
    expect(old.headers.get('location')).toContain('code=');
    const renewed = await somebody.authorize(desk.authorizeUrl({ max_age: '0' }));
    const { body } = await exchange(codeOf(renewed));
    expect(claimsOf(body.id_token).auth_time).toBeGreaterThanOrEqual(Math.floor(desk.clock.now / 1_000) - 5);
  });

  it('acr_values that the login cannot reach is unmet_authentication_requirements', async () => {
    const back = await desk.authorize({ acr_values: 'aal2' });
    expect(back.searchParams.get('error')).toBe('unmet_authentication_requirements');
    expect(codeOf(await desk.authorize({ acr_values: 'aal2 aal1' }))).toMatch(CODE);
  });

  it('login_hint fills in the name', async () => {
    const page = await visitor().open(desk.authorizeUrl({ login_hint: 'a"b<c' }));
    expect(page.html).toContain('value="a&quot;b&lt;c"');
  });
});

describe('POST /oauth/token', () => {
  it('code exchange: access_token, Bearer, expires_in, refresh_token, id_token, scope', async () => {
    const { status, headers, body } = await desk.grant({ nonce: 'n-0S6_WzA2Mj' });
    expect(status).toBe(200);
    expect(headers.get('content-type')).toMatch(/^application\/json/);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('pragma')).toBe('no-cache');
    expect(Object.keys(body).sort()).toEqual([
      'access_token',
      'expires_in',
      'id_token',
      'refresh_token',
      'scope',
      'token_type',
    ]);
    expect(body).toMatchObject({ token_type: 'Bearer', expires_in: 3_600, scope: 'openid profile email' });
    expect(body.refresh_token).toMatch(/^[\w-]{43}$/);
  });

  it('the access token is a JWT of RFC 9068, signed with the asymmetric key', async () => {
    const { body } = await desk.grant();
    expect(headerOf(body.access_token)).toMatchObject({ alg: 'RS256', typ: 'at+jwt', kid: expect.any(String) });
    const claims = claimsOf(body.access_token);
    expect(claims).toMatchObject({
      iss: desk.url,
      aud: desk.url,
      sub: 'viewer',
      client_id: 'spa',
      scope: 'openid profile email',
      acr: 'aal1',
      amr: ['pwd'],
    });
    expect(claims.exp - claims.iat).toBe(3_600);
    expect(claims.jti).toEqual(expect.any(String));
  });

  it('the id token is for the client, with nonce and at_hash, and no access token', async () => {
    const { body } = await desk.grant({ nonce: 'n-0S6_WzA2Mj' });
    const claims = claimsOf(body.id_token);
    expect(claims).toMatchObject({ iss: desk.url, aud: 'spa', sub: 'viewer', nonce: 'n-0S6_WzA2Mj', acr: 'aal1' });
    expect(claims.exp - claims.iat).toBeLessThanOrEqual(3_600);
    const { createHash } = await import('node:crypto');
    const half = createHash('sha256').update(body.access_token).digest().subarray(0, 16).toString('base64url');
    expect(claims.at_hash).toBe(half);
    expect(await me(body.id_token)).toBe(401);
    expect(claimsOf((await desk.grant()).body.id_token)).not.toHaveProperty('nonce');
  });

  it('the refresh grant rotates, keeps auth_time, and repeats within REFRESH_GRACE_SECONDS', async () => {
    const { body } = await desk.grant();
    const first = await refresh(body.refresh_token);
    expect(first.status).toBe(200);
    expect(first.body).toMatchObject({ token_type: 'Bearer', expires_in: 3_600, scope: 'openid profile email' });
    expect(first.body.refresh_token).not.toBe(body.refresh_token);
    const again = await refresh(body.refresh_token);
    expect(again.body.refresh_token).toBe(first.body.refresh_token);
    expect(claimsOf(first.body.id_token)).toMatchObject({
      auth_time: claimsOf(body.id_token).auth_time,
      sub: 'viewer',
    });
    desk.clock.now = Date.now() + 11_000;
    expect((await refresh(body.refresh_token)).body.error).toBe('invalid_grant');
    expect((await refresh(first.body.refresh_token)).body.error).toBe('invalid_grant');
    expect(await me(first.body.access_token)).toBe(401);
  });

  it('codes are used once: a replay ends what the code gave', async () => {
    const code = codeOf(await desk.authorize());
    const { body } = await exchange(code);
    expect(await me(body.access_token)).toBe(200);
    const replay = await exchange(code);
    expect([replay.status, replay.body.error]).toEqual([400, 'invalid_grant']);
    expect(await me(body.access_token)).toBe(401);
    expect((await refresh(body.refresh_token)).body.error).toBe('invalid_grant');
  });

  it('a replay by another client, or with a wrong verifier, ends it too', async () => {
    for (const changes of [{ client_id: 'ours' }, { code_verifier: 'x'.repeat(43) }]) {
      const code = codeOf(await desk.authorize());
      const { body } = await exchange(code);
      expect((await exchange(code, changes)).body.error).toBe('invalid_grant');
      expect(await me(body.access_token)).toBe(401);
    }
  });

  it('codes live 60 seconds', async () => {
    const code = codeOf(await desk.authorize());
    desk.clock.now = Date.now() + 61_000;
    expect((await exchange(code)).body.error).toBe('invalid_grant');
  });

  it.each([
    ['another client', { client_id: 'ours' }, 'invalid_grant'],
    ['another redirect URI', { redirect_uri: `${REDIRECT}2` }, 'invalid_grant'],
    ['no redirect URI', { redirect_uri: undefined }, 'invalid_request'],
    ['a wrong verifier', { code_verifier: 'x'.repeat(43) }, 'invalid_grant'],
    ['no verifier', { code_verifier: undefined }, 'invalid_grant'],
    ['a verifier of 42 characters', { code_verifier: 'x'.repeat(42) }, 'invalid_grant'],
    ['a random code', { code: 'x'.repeat(43) }, 'invalid_grant'],
    ['no code', { code: undefined }, 'invalid_request'],
  ])('refuses a code with %s, and the right request still works', async (_, changes, error) => {
    const code = codeOf(await desk.authorize());
    const answer = await exchange(code, changes);
    expect([answer.status, answer.body.error]).toEqual([400, error]);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('pragma')).toBe('no-cache');
    expect((await exchange(code)).status).toBe(200);
  });

  it('five wrong verifiers kill the code', async () => {
    const code = codeOf(await desk.authorize());
    for (let tries = 0; tries < 5; tries += 1) await exchange(code, { code_verifier: 'x'.repeat(43) });
    expect((await exchange(code)).body.error).toBe('invalid_grant');
  });

  it.each([
    [undefined, 'invalid_request'],
    ['password', 'unsupported_grant_type'],
    ['urn:ietf:params:oauth:grant-type:device_code', 'unsupported_grant_type'],
    ['Authorization_Code', 'unsupported_grant_type'],
    ['client_credentials', 'unauthorized_client'],
  ])('grant_type %s is %s', async (grant_type, error) => {
    const answer = await desk.token({ grant_type, client_id: 'spa', username: 'viewer', password: 'x' });
    expect([answer.status, answer.body.error]).toEqual([400, error]);
  });

  it('errors are JSON: a JSON body, a repeated parameter and GET', async () => {
    const json = await desk.postJson('/oauth/token', { grant_type: 'refresh_token' });
    expect([json.status, json.body.error]).toEqual([400, 'invalid_request']);
    const body = new URLSearchParams([
      ...Object.entries({ grant_type: 'refresh_token', client_id: 'spa' }),
      ['client_id', 'spa'],
    ]);
    const twice = await desk.fetch('/oauth/token', { method: 'POST', body });
    expect([twice.status, twice.body.error]).toEqual([400, 'invalid_request']);
    const get = await desk.fetch('/oauth/token?grant_type=client_credentials');
    expect([get.status, get.headers.get('allow')]).toEqual([405, 'OPTIONS, POST']);
    for (const { body: answer } of [json, twice]) {
      expect(answer.error_description ?? '').toMatch(/^[\x20\x21\x23-\x5B\x5D-\x7E]*$/);
    }
  });

  it.each([
    ['a wrong secret', basic('web', 'x'.repeat(36)), {}, 401],
    ['an unknown client', basic('nobody', 'x'.repeat(36)), {}, 401],
    ['no colon', { authorization: `Basic ${Buffer.from('web').toString('base64')}` }, {}, 401],
    ['bad base64', { authorization: 'Basic %%%' }, {}, 401],
    ['only a client_id for a confidential client', {}, { client_id: 'web' }, 401],
    ['a secret of a public client', {}, { client_id: 'spa', client_secret: 'x' }, 401],
    ['another client_id in the body', basic('web', SECRET_OF_WEB), { client_id: 'spa' }, 400],
    ['two ways at once', basic('web', SECRET_OF_WEB), { client_secret: SECRET_OF_WEB }, 400],
  ])('client authentication: %s', async (_, headers: Record<string, string>, fields, status) => {
    const answer = await desk.token({ grant_type: 'client_credentials', ...fields }, headers);
    expect(answer.status).toBe(status);
    expect(answer.body.error).toBe(status === 401 ? 'invalid_client' : 'invalid_request');
    const challenge = answer.headers.get('www-authenticate');
    if (status === 401 && headers.authorization) expect(challenge).toMatch(/^Basic realm="/);
    else expect(challenge).toBeNull();
  });

  it('unknown clients and wrong secrets look alike', async () => {
    const [wrong, unknown] = await Promise.all([
      desk.token({ grant_type: 'client_credentials' }, basic('web', 'x'.repeat(36))),
      desk.token({ grant_type: 'client_credentials' }, basic('nobody', 'x'.repeat(36))),
    ]);
    expect(wrong.text).toBe(unknown.text);
  });

  it('Basic credentials are form-decoded, and raw ones work as curl sends them', async () => {
    for (const id of ['web', 'w%65b']) {
      const answer = await desk.token({ grant_type: 'client_credentials' }, basic(id, SECRET_OF_WEB));
      expect(answer.status).toBe(200);
    }
  });

  it('refresh: a scope that is wider is refused before the token is used up; a narrower one narrows this token only', async () => {
    const { body } = await desk.grant({ scope: 'openid profile create' });
    const wider = await refresh(body.refresh_token, { scope: 'openid delete' });
    expect(wider.body.error).toBe('invalid_scope');
    const narrow = await refresh(body.refresh_token, { scope: 'create' });
    expect(narrow.status).toBe(200);
    expect(narrow.body.scope).toBe('create');
    expect(narrow.body).not.toHaveProperty('id_token');
    const full = await refresh(narrow.body.refresh_token);
    expect(full.body.scope).toBe('openid profile create');
  });

  it('a refresh token of another client is neither used nor ended', async () => {
    const { body } = await desk.grant();
    expect((await refresh(body.refresh_token, { client_id: 'ours' })).body.error).toBe('invalid_grant');
    expect((await refresh(body.refresh_token)).status).toBe(200);
  });

  it('client_credentials: the client is the subject, with the roles that it was registered with', async () => {
    const { body } = await desk.token(
      { grant_type: 'client_credentials', scope: 'create' },
      basic('web', SECRET_OF_WEB),
    );
    expect(body).toMatchObject({ token_type: 'Bearer', scope: 'create', expires_in: 3_600 });
    expect(body).not.toHaveProperty('refresh_token');
    expect(body).not.toHaveProperty('id_token');
    expect(claimsOf(body.access_token)).toMatchObject({ sub: 'client:web', client_id: 'web' });
    const headers = { ...bearer(body.access_token), 'content-type': 'application/json' };
    expect((await desk.fetch('/api/posts', { headers })).status).toBe(200);
    expect((await desk.fetch('/me', { headers })).status).toBe(403);
    expect((await desk.fetch('/api/posts/none', { method: 'DELETE', headers })).status).toBe(403);
    const asked = await desk.token({ grant_type: 'client_credentials', scope: 'openid' }, basic('web', SECRET_OF_WEB));
    expect(asked.body.error).toBe('invalid_scope');
  });
});

describe('POST /oauth/introspect', () => {
  it('active: what RFC 7662 names, and neither email nor roles', async () => {
    const { body } = await desk.grant();
    const answer = await desk.introspect(body.access_token);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.body).toMatchObject({
      active: true,
      client_id: 'spa',
      username: 'viewer',
      sub: 'viewer',
      scope: 'openid profile email',
      token_type: 'Bearer',
      iss: desk.url,
      aud: desk.url,
    });
    expect(answer.body).not.toHaveProperty('email');
    expect(answer.body).not.toHaveProperty('roles');
  });

  it('everything else is {"active":false} and nothing more', async () => {
    const { body } = await desk.grant();
    const login = await desk.loginTokenOf('viewer');
    for (const token of [body.id_token, 'nonsense', `${body.access_token}x`, 'x'.repeat(43)]) {
      expect((await desk.introspect(token)).text).toBe('{"active":false}');
    }
    expect(login).toEqual(expect.any(String));
    desk.clock.now = Date.now() + 3_601_000;
    expect((await desk.introspect(body.access_token)).text).toBe('{"active":false}');
  });

  it('asks for a client that authenticates, by POST and form', async () => {
    const { body } = await desk.grant();
    expect((await desk.introspect(body.access_token, {})).status).toBe(401);
    const open = await desk.fetch('/oauth/introspect', {
      method: 'POST',
      body: new URLSearchParams({ token: body.access_token, client_id: 'spa' }),
    });
    expect(open.status).toBe(401);
    expect((await desk.introspect('')).body.error).toBe('invalid_request');
    expect((await desk.fetch(`/oauth/introspect?token=${body.access_token}`)).status).toBe(405);
  });

  it('a client that is no resource server sees its own tokens only', async () => {
    const { body } = await desk.grant();
    const answer = await desk.fetch('/oauth/introspect', {
      method: 'POST',
      body: new URLSearchParams({ token: body.access_token, client_id: 'poster', client_secret: SECRET_OF_WEB }),
    });
    expect(answer.text).toBe('{"active":false}');
  });
});

describe('POST /oauth/revoke', () => {
  const revoke = (token: string, client_id = 'spa', hint?: string) =>
    desk.fetch('/oauth/revoke', {
      method: 'POST',
      body: new URLSearchParams({ token, client_id, ...(hint && { token_type_hint: hint }) }),
    });

  it('a refresh token ends all that came of it, whatever the hint says', async () => {
    const { body } = await desk.grant();
    const answer = await revoke(body.refresh_token, 'spa', 'access_token');
    expect([answer.status, answer.text]).toEqual([200, '']);
    expect(await me(body.access_token)).toBe(401);
    expect((await refresh(body.refresh_token)).body.error).toBe('invalid_grant');
  });

  it('an access token alone, of its own client only; unknown tokens are 200 too', async () => {
    const { body } = await desk.grant();
    expect((await revoke(body.access_token, 'ours')).status).toBe(200);
    expect(await me(body.access_token)).toBe(200);
    expect((await revoke(body.access_token)).status).toBe(200);
    expect(await me(body.access_token)).toBe(401);
    expect((await refresh(body.refresh_token)).status).toBe(200);
    expect((await revoke('nonsense')).status).toBe(200);
  });
});

describe('GET /oauth/userinfo', () => {
  it('answers by scope, with the sub of the id token', async () => {
    const { body } = await desk.grant();
    const full = await desk.fetch('/oauth/userinfo', { headers: bearer(body.access_token) });
    expect(full.body).toMatchObject({ sub: 'viewer', preferred_username: 'viewer', email: 'viewer@example.org' });
    const small = await desk.grant({ scope: 'openid' });
    const { body: little } = await desk.fetch('/oauth/userinfo', { headers: bearer(small.body.access_token) });
    expect(little).toEqual({ sub: 'viewer' });
  });

  it('challenges by RFC 6750', async () => {
    const none = await desk.fetch('/oauth/userinfo');
    expect([none.status, none.headers.get('www-authenticate')]).toEqual([401, expect.not.stringContaining('error')]);
    const bad = await desk.fetch('/oauth/userinfo', { headers: bearer('nonsense') });
    expect(bad.headers.get('www-authenticate')).toContain('error="invalid_token"');
    const { body } = await desk.grant({ scope: 'create' });
    const scope = await desk.fetch('/oauth/userinfo', { headers: bearer(body.access_token) });
    expect(scope.status).toBe(403);
    expect(scope.headers.get('www-authenticate')).toContain('error="insufficient_scope"');
    const query = await desk.fetch(`/oauth/userinfo?access_token=${body.access_token}`);
    expect(query.status).toBe(401);
  });
});

describe('scopes at the API', () => {
  const post = (token: string) =>
    desk.fetch('/api/posts', {
      method: 'POST',
      headers: { ...bearer(token), 'content-type': 'application/json' },
      body: '{}',
    });
  const challenge = (answer: { headers: Headers }) => answer.headers.get('www-authenticate') ?? '';

  it('only narrow: read needs none, the others the scope beside the permission', async () => {
    const as = { username: 'editor' };
    const plain = (await desk.grant({ scope: 'openid' }, as)).body.access_token;
    expect((await desk.fetch('/api/posts', { headers: bearer(plain) })).status).toBe(200);
    const refused = await post(plain);
    expect(refused.status).toBe(403);
    expect(challenge(refused)).toContain('error="insufficient_scope"');
    expect(challenge(refused)).toContain('scope="create"');
    expect((await post((await desk.grant({ scope: 'create' }, as)).body.access_token)).status).toBe(200);
    expect((await post((await desk.grant({ scope: 'create' })).body.access_token)).status).toBe(403);
  });

  it('ml.predict is asked of OAuth tokens, and not of a login', async () => {
    const without = (await desk.grant({ scope: 'openid' })).body.access_token;
    const refused = await desk.fetch('/ml/predict', { headers: bearer(without) });
    expect(refused.status).toBe(403);
    expect(challenge(refused)).toContain('scope="ml.predict"');
    const granted = (await desk.grant({ scope: 'ml.predict' })).body.access_token;
    const answer = await desk.fetch('/ml/predict', { headers: bearer(granted) });
    expect([answer.status, answer.body.user]).toEqual([200, 'viewer']);
    expect((await desk.fetch('/ml/predict', { headers: bearer(await desk.loginTokenOf('viewer')) })).status).toBe(200);
  });

  it('an OAuth token does not keep the account, and does not become a first-party token', async () => {
    const { body } = await desk.grant({ scope: 'openid create' });
    const headers = bearer(body.access_token);
    expect((await desk.fetch('/account/sessions', { headers })).status).toBe(403);
    expect((await desk.fetch('/refresh', { method: 'POST', headers })).status).toBe(401);
    expect((await desk.fetch('/refresh', { method: 'POST', headers: bearer(body.refresh_token) })).status).toBe(401);
  });

  it('ending all sessions, a password change and disabling end OAuth tokens too', async () => {
    const { username, password, token, id } = await desk.newcomer();
    const { body } = await desk.grant({}, { username, password });
    expect(await me(body.access_token)).toBe(200);
    await desk.fetch('/account/sessions', { method: 'DELETE', headers: bearer(token) });
    expect(await me(body.access_token)).toBe(401);
    expect((await refresh(body.refresh_token)).body.error).toBe('invalid_grant');
    const again = (await desk.grant({}, { username, password })).body;
    await desk.fetch(`/api/users/${id}`, {
      method: 'PATCH',
      headers: { ...bearer(await desk.loginTokenOf('admin')), 'content-type': 'application/json' },
      body: JSON.stringify({ disabled: true }),
    });
    expect(await me(again.access_token)).toBe(401);
    expect((await refresh(again.refresh_token)).body.error).toBe('invalid_grant');
    expect((await desk.introspect(again.access_token)).text).toBe('{"active":false}');
  });

  it('a DPoP-bound token is worth nothing as a plain bearer token', async () => {
    const oauth = await import('oauth4webapi');
    const keys = await oauth.generateKeyPair('ES256');
    const code = codeOf(await desk.authorize({ client_id: 'bound', scope: 'openid create' }));
    const handle = oauth.DPoP({}, keys);
    const as = { issuer: desk.url, token_endpoint: `${desk.url}/oauth/token` };
    const parameters = oauth.validateAuthResponse(
      as,
      { client_id: 'bound' },
      new URLSearchParams({ code }),
      oauth.skipStateCheck,
    );
    const options = { DPoP: handle, [oauth.allowInsecureRequests]: true };
    const response = await oauth.authorizationCodeGrantRequest(
      as,
      { client_id: 'bound' },
      oauth.None(),
      parameters,
      REDIRECT,
      VERIFIER,
      options,
    );
    const body = (await response.json()) as { access_token: string; token_type: string };
    expect(body.token_type).toBe('DPoP');
    expect(await me(body.access_token)).toBe(401);
    const without = await desk.token({
      grant_type: 'authorization_code',
      code: 'x'.repeat(43),
      client_id: 'bound',
      redirect_uri: REDIRECT,
      code_verifier: VERIFIER,
    });
    expect(['invalid_dpop_proof', 'invalid_grant']).toContain(without.body.error);
  });
});

describe('metadata', () => {
  it('names the issuer as its tokens do, and every endpoint', async () => {
    const { body, headers } = await desk.fetch('/.well-known/openid-configuration');
    expect(body).toMatchObject({
      issuer: desk.url,
      authorization_endpoint: `${desk.url}/authorize`,
      token_endpoint: `${desk.url}/oauth/token`,
      introspection_endpoint: `${desk.url}/oauth/introspect`,
      revocation_endpoint: `${desk.url}/oauth/revoke`,
      userinfo_endpoint: `${desk.url}/oauth/userinfo`,
      jwks_uri: `${desk.url}/jwks`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
    });
    expect(body.id_token_signing_alg_values_supported).toContain('RS256');
    expect(body.grant_types_supported.sort()).toEqual(['authorization_code', 'client_credentials', 'refresh_token']);
    expect(headers.get('cache-control')).toMatch(/^public, max-age=\d+$/);
    expect(headers.get('access-control-allow-origin')).toBe('*');
    const other = await desk.fetch('/.well-known/oauth-authorization-server');
    expect(other.body.issuer).toBe(desk.url);
  });

  it('of the protected resource, named in its challenges', async () => {
    const answer = await desk.fetch('/me');
    const address = /resource_metadata="([^"]+)"/.exec(answer.headers.get('www-authenticate') ?? '')?.[1] ?? '';
    expect(address).toBe(`${desk.url}/.well-known/oauth-protected-resource`);
    const { body } = await desk.fetch('/.well-known/oauth-protected-resource');
    expect(body).toMatchObject({ resource: desk.url, authorization_servers: [desk.url] });
  });

  it('GET /jwks has public members only', async () => {
    const { body, headers } = await desk.fetch('/jwks');
    expect(body.keys.length).toBeGreaterThan(0);
    for (const key of body.keys) expect(Object.keys(key).sort()).toEqual(['alg', 'e', 'kid', 'kty', 'n', 'use']);
    expect(headers.get('cache-control')).toMatch(/^public, max-age=\d+$/);
  });

  it('browsers of other origins may use the token endpoint, without credentials', async () => {
    for (const path of [
      '/oauth/token',
      '/oauth/userinfo',
      '/jwks',
      '/.well-known/openid-configuration',
      '/oauth/revoke',
    ]) {
      const preflight = await desk.fetch(path, {
        method: 'OPTIONS',
        headers: { origin: 'https://app.example.org', 'access-control-request-method': 'POST' },
      });
      expect(preflight.headers.get('access-control-allow-origin'), path).toBe('*');
      expect(preflight.headers.get('access-control-allow-credentials')).toBeNull();
    }
    const authorize = await desk.fetch('/authorize', { headers: { origin: 'https://app.example.org' } });
    expect(authorize.headers.get('access-control-allow-origin')).toBeNull();
  });
});

describe('races', () => {
  it('1,000 concurrent redemptions of one code: one 200, 999 invalid_grant, and a replay has ended the family', async () => {
    const code = codeOf(await desk.authorize());
    // Connected before, a hundred at a time: the system drops connections where too many wait to be accepted.
    const sockets: Socket[] = [];
    for (let wave = 0; wave < 10; wave += 1) {
      const opening = Array.from({ length: 100 }, () => connect(Number(new URL(desk.url).port), '127.0.0.1'));
      await Promise.all(opening.map((socket) => once(socket, 'connect')));
      sockets.push(...opening);
    }
    const answers = await Promise.all(sockets.map((socket) => exchangeOver(socket, code)));
    const won = answers.filter(({ status }) => status === 200);
    expect(won).toHaveLength(1);
    const lost = answers.filter(({ status, body }) => status === 400 && body.error === 'invalid_grant');
    expect(lost).toHaveLength(999);
    expect((await exchange(code)).body.error).toBe('invalid_grant');
    expect(await me(won[0]?.body.access_token)).toBe(401);
    expect((await refresh(won[0]?.body.refresh_token)).body.error).toBe('invalid_grant');
  }, 120_000);

  it('50 parallel refreshes get one successor', async () => {
    const { body } = await desk.grant();
    const answers = await Promise.all(Array.from({ length: 50 }, () => refresh(body.refresh_token)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(answers.map((answer) => answer.body.refresh_token)).size).toBe(1);
  });
});

describe('settings', () => {
  it('REFRESH_GRACE_SECONDS of 0 is strict', async () => {
    const strict = await openDesk({ REFRESH_GRACE_SECONDS: '0' });
    const { body } = await strict.grant();
    const use = () =>
      strict.token({ grant_type: 'refresh_token', refresh_token: body.refresh_token, client_id: 'spa' });
    const first = await use();
    expect(first.status).toBe(200);
    expect((await use()).body.error).toBe('invalid_grant');
    expect((await strict.fetch('/me', { headers: bearer(first.body.access_token) })).status).toBe(401);
    await strict.close();
  });
});
