import { createHash } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type Answer, bearer, claimsOf } from './harness.ts';
import { basic, type Desk, openDesk, SECRET_OF_WEB, VERIFIER } from './oauth-desk.ts';
import { visitor } from './visitor.ts';

/**
 * What goes over the wire, clause by clause, where servers and clients are known to disagree. Each name begins with
 * the endpoint.
 */
const REDIRECT = 'http://localhost:3000/callback';
const DAY = 86_400_000;
const SPA = { client_id: 'spa', redirect_uri: REDIRECT, code_verifier: VERIFIER } as const;
const WEB = basic('web', SECRET_OF_WEB);
/** RFC 6749 section 5.2. */
const DESCRIPTION = /^[\x20\x21\x23-\x5B\x5D-\x7E]+$/;
let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
});
afterEach(() => desk.clock.reset());
afterAll(() => desk.close());

type Fields = Readonly<Record<string, string | undefined>>;
const codeOf = (url: URL): string => url.searchParams.get('code') ?? '';
const newCode = async (changes: Fields = {}): Promise<string> => codeOf(await desk.authorize(changes));
const exchange = (code: string, changes: Fields = {}, headers: Record<string, string> = {}): Promise<Answer> =>
  desk.token({ grant_type: 'authorization_code', code, ...SPA, ...changes }, headers);
const refresh = (refresh_token: string, changes: Fields = {}): Promise<Answer> =>
  desk.token({ grant_type: 'refresh_token', refresh_token, client_id: 'spa', ...changes });
const post = (path: string, fields: Record<string, string>, headers: Record<string, string> = {}): Promise<Answer> =>
  desk.fetch(path, { method: 'POST', body: new URLSearchParams(fields), headers });
const challengeOf = ({ headers }: Pick<Answer, 'headers'>): string | null => headers.get('www-authenticate');
const cacheOf = ({ headers }: Answer) => [headers.get('cache-control'), headers.get('pragma')];
const headerOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString());
const short = ({ status, body }: Answer): unknown[] => [status, body?.error];

describe('POST /oauth/token', () => {
  it('token: success is exactly 200, JSON, and in no cache, for every grant', async () => {
    const granted = await desk.grant();
    const answers = [
      granted,
      await refresh(granted.body.refresh_token),
      await desk.token({ grant_type: 'client_credentials' }, WEB),
    ];
    for (const answer of answers) {
      expect(answer.status).toBe(200);
      expect(answer.headers.get('content-type')).toMatch(/^application\/json(; charset=utf-8)?$/);
      expect(cacheOf(answer)).toEqual(['no-store', 'no-cache']);
    }
  });

  it('token: the members have the types that clients check', async () => {
    const { body } = await desk.grant();
    expect(body.token_type).toBe('Bearer');
    expect(Number.isInteger(body.expires_in)).toBe(true);
    expect(typeof body.scope).toBe('string');
    expect(typeof body.access_token).toBe('string');
    const login = await desk.postForm('/token', { username: 'viewer', password: 'correct horse battery staple' });
    expect(Object.keys(login.body).sort()).toEqual(['access_token', 'token_type']);
    expect(login.body.token_type).toBe('bearer');
  });

  it('token: every error is JSON that no cache keeps, with a description of the characters allowed', async () => {
    const code = await newCode();
    const errors: [Answer, number, string][] = [
      [await desk.token({}), 401, 'invalid_client'],
      [await desk.token({ grant_type: 'client_credentials' }, basic('web', 'x'.repeat(36))), 401, 'invalid_client'],
      [await desk.token({ client_id: 'spa' }), 400, 'invalid_request'],
      [await desk.token({ grant_type: 'implicit', client_id: 'spa' }), 400, 'unsupported_grant_type'],
      [await desk.token({ grant_type: 'authorization_code ', client_id: 'spa' }), 400, 'unsupported_grant_type'],
      [await desk.token({ grant_type: 'client_credentials', client_id: 'spa' }), 400, 'unauthorized_client'],
      [await desk.token({ grant_type: 'client_credentials', scope: 'a"\\b' }, WEB), 400, 'invalid_scope'],
      [await exchange(`${code}x`), 400, 'invalid_grant'],
      [await exchange(code, { resource: 'https://elsewhere.example.org' }), 400, 'invalid_target'],
      [await exchange(code, {}, { dpop: 'no proof' }), 400, 'invalid_dpop_proof'],
      [await desk.postJson('/oauth/token', { grant_type: 'authorization_code' }), 400, 'invalid_request'],
    ];
    for (const [answer, status, error] of errors) {
      expect(short(answer)).toEqual([status, error]);
      expect(Object.keys(answer.body)).toEqual(['error', 'error_description']);
      expect(answer.body.error_description).toMatch(DESCRIPTION);
      expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
      expect(cacheOf(answer)).toEqual(['no-store', 'no-cache']);
    }
    expect((await exchange(code)).status).toBe(200);
  });

  it('token: unknown clients and wrong secrets are alike in header and body, whatever the method', async () => {
    const seen = async (fields: Fields, headers: Record<string, string> = {}) => {
      const answer = await desk.token({ grant_type: 'client_credentials', ...fields }, headers);
      return [answer.status, answer.text, challengeOf(answer), [...answer.headers.keys()].sort()];
    };
    const secret = 'x'.repeat(36);
    expect(await seen({}, basic('web', secret))).toEqual(await seen({}, basic('nobody', secret)));
    expect(await seen({ client_id: 'poster', client_secret: secret })).toEqual(
      await seen({ client_id: 'nobody', client_secret: secret }),
    );
  });

  it('token: OAU-18 Basic credentials come form-encoded, as openid-client sends them, or raw, as curl does', async () => {
    const client_secret = "s3cr&t +:%-and-as-long-as-it-has-to-be!'()*";
    const more = await openDesk({}, [
      {
        client_id: 'odd',
        token_endpoint_auth_method: 'client_secret_basic',
        client_secret,
        redirect_uris: [REDIRECT],
        scope: 'create',
      },
    ]);
    onTestFinished(() => more.close());
    const form = new URLSearchParams({ s: client_secret }).toString().slice(2);
    expect(form).not.toBe(client_secret);
    for (const [id, secret] of [
      ['odd', form],
      ['%6Fdd', form],
      ['odd', client_secret],
    ] as const) {
      const answer = await more.token({ grant_type: 'client_credentials' }, basic(id, secret));
      expect(short(answer)).toEqual([400, 'unauthorized_client']);
    }
  });

  it('token: an empty parameter counts as absent, an unknown one for nothing', async () => {
    const code = await newCode();
    expect(short(await exchange('', { code: '' }))).toEqual([400, 'invalid_request']);
    expect(short(await exchange(code, { redirect_uri: '' }))).toEqual([400, 'invalid_request']);
    expect(
      (await exchange(code, { client_secret: '', scope: '', client_assertion: '', audience: 'x', 'a b': 'c' })).status,
    ).toBe(200);
  });

  it('token: OAU-16 the query counts for nothing: no secret, no code, no grant', async () => {
    const secret = new URLSearchParams({ client_id: 'poster', client_secret: SECRET_OF_WEB });
    const answer = await post(`/oauth/token?${secret}`, { grant_type: 'authorization_code' });
    expect(short(answer)).toEqual([401, 'invalid_client']);
    const code = await newCode();
    const query = new URLSearchParams({ grant_type: 'authorization_code', code, ...SPA });
    expect((await desk.fetch(`/oauth/token?${query}`)).status).toBe(405);
    expect(short(await post(`/oauth/token?${query}`, { client_id: 'spa' }))).toEqual([400, 'invalid_request']);
    expect((await exchange(code)).status).toBe(200);
  });

  it('token: OAU-20 PKCE does not stand for the secret of a confidential client', async () => {
    const code = await newCode({ client_id: 'web' });
    expect(short(await exchange(code, { client_id: 'web' }))).toEqual([401, 'invalid_client']);
    expect((await exchange(code, { client_id: undefined }, WEB)).status).toBe(200);
  });

  it.each([42, 129])('token: a verifier of %i characters is none, whatever it hashes to', async (length) => {
    const code_verifier = '-._~'.padEnd(length, 'aZ09');
    const code_challenge = createHash('sha256').update(code_verifier).digest('base64url');
    const code = await newCode({ code_challenge });
    expect(short(await exchange(code, { code_verifier }))).toEqual([400, 'invalid_grant']);
  });

  it.each([43, 128])('token: a verifier of %i characters is one', async (length) => {
    const code_verifier = '-._~'.padEnd(length, 'aZ09');
    const code_challenge = createHash('sha256').update(code_verifier).digest('base64url');
    expect((await exchange(await newCode({ code_challenge }), { code_verifier })).status).toBe(200);
  });

  it('token: a challenge sent as the verifier is the method plain, and refused', async () => {
    const code = await newCode();
    const code_verifier = desk.authorizeUrl().searchParams.get('code_challenge') ?? '';
    expect(short(await exchange(code, { code_verifier }))).toEqual([400, 'invalid_grant']);
  });

  it('token: the id token of a refresh keeps iss, sub, aud and auth_time, with a new iat and at_hash', async () => {
    const { body } = await desk.grant({ nonce: 'n-0S6_WzA2Mj' });
    desk.clock.now = Date.now() + 120_000;
    const again = await refresh(body.refresh_token);
    const [before, after] = [claimsOf(body.id_token), claimsOf(again.body.id_token)];
    for (const claim of ['iss', 'sub', 'aud', 'auth_time', 'acr']) expect(after[claim]).toEqual(before[claim]);
    expect(after.iat).toBeGreaterThan(before.iat);
    expect(after.at_hash).not.toBe(before.at_hash);
    expect(after).not.toHaveProperty('nonce');
  });

  it('token: REF-10 narrowing without openid gives no id token and leaves the refresh token whole', async () => {
    const { body } = await desk.grant({ scope: 'openid create' });
    const narrow = await refresh(body.refresh_token, { scope: 'create' });
    expect([narrow.body.scope, narrow.body.id_token]).toEqual(['create', undefined]);
    expect(claimsOf(narrow.body.access_token).scope).toBe('create');
    const { body: whole } = await refresh(narrow.body.refresh_token);
    expect([whole.scope, typeof whole.id_token]).toEqual(['openid create', 'string']);
  });

  it('token: refresh tokens are opaque, and end 30 days after the login, however often they are rotated', async () => {
    let { body } = await desk.grant();
    const start = Date.now();
    expect(body.refresh_token).not.toContain('.');
    for (const day of [6, 12, 18, 24, 29]) {
      desk.clock.now = start + day * DAY;
      body = (await refresh(body.refresh_token)).body;
      expect(body.error).toBeUndefined();
    }
    desk.clock.now = start + 30 * DAY + 1_000;
    expect(short(await refresh(body.refresh_token))).toEqual([400, 'invalid_grant']);
  });

  it('token: client_credentials gives neither a refresh token nor an id token', async () => {
    const { body } = await desk.token({ grant_type: 'client_credentials' }, WEB);
    expect(Object.keys(body).sort()).toEqual(['access_token', 'expires_in', 'scope', 'token_type']);
    const claims = claimsOf(body.access_token);
    for (const claim of ['auth_time', 'acr', 'amr', 'uid']) expect(claims).not.toHaveProperty(claim);
  });
});

describe('tokens', () => {
  it('access token: all that RFC 9068 requires, and the kid of a key that is published', async () => {
    const { body } = await desk.grant();
    const { alg, typ, kid } = headerOf(body.access_token);
    expect([alg, typ]).toEqual(['RS256', 'at+jwt']);
    const claims = claimsOf(body.access_token);
    expect(Object.keys(claims)).toEqual(
      expect.arrayContaining(['iss', 'exp', 'aud', 'sub', 'client_id', 'iat', 'jti', 'scope', 'auth_time', 'acr']),
    );
    const { body: jwks } = await desk.fetch('/jwks');
    expect(jwks.keys.map((key: { kid: string }) => key.kid)).toContain(kid);
    expect(headerOf(body.id_token)).toMatchObject({ alg: 'RS256', kid });
    expect(headerOf(body.id_token).typ).not.toBe('at+jwt');
  });

  it('id token: OAU-36 one audience, which is the client, times in whole seconds, and the login', async () => {
    const { body } = await desk.grant({ nonce: 'n-0S6_WzA2Mj' });
    const claims = claimsOf(body.id_token);
    expect(claims).toMatchObject({ iss: desk.url, aud: 'spa', nonce: 'n-0S6_WzA2Mj', acr: 'aal1', amr: ['pwd'] });
    for (const time of [claims.iat, claims.exp, claims.auth_time]) expect(Number.isInteger(time)).toBe(true);
    expect(claims.exp - claims.iat).toBeLessThanOrEqual(3_600);
    expect(claims.auth_time).toBeLessThanOrEqual(claims.iat);
  });

  it('access token: is expired from the second of its exp on', async () => {
    const { body } = await desk.grant();
    const { exp } = claimsOf(body.access_token);
    const status = async () => (await desk.fetch('/me', { headers: bearer(body.access_token) })).status;
    desk.clock.now = (exp - 5) * 1_000;
    expect(await status()).toBe(200);
    desk.clock.now = exp * 1_000;
    expect(await status()).toBe(401);
  });
});

describe('/authorize', () => {
  it('authorize: a posted login is answered by 303, without a body, a cache and a referrer', async () => {
    const { username, password } = await desk.newcomer();
    const somebody = visitor();
    const login = await somebody.submit(await somebody.open(desk.authorizeUrl()), {
      username,
      password,
      action: 'login',
    });
    const done = await somebody.submit(login, { action: 'allow' });
    expect([done.status, done.html]).toEqual([303, '']);
    expect(done.headers.get('cache-control')).toBe('no-store');
    expect(done.headers.get('referrer-policy')).toBe('no-referrer');
  });

  it('authorize: a login changes every identity that the browser had', async () => {
    const somebody = visitor();
    const page = await somebody.open(desk.authorizeUrl());
    const before = new Map(somebody.cookies);
    expect(before.size).toBe(1);
    await somebody.submit(page, { username: 'viewer', password: 'correct horse battery staple', action: 'login' });
    expect(somebody.cookies.size).toBe(2);
    for (const [name, value] of before) expect(somebody.cookies.get(name)).not.toBe(value);
  });

  it.each([
    ['OAU-02 response_type none', { response_type: 'none' }, 'unsupported_response_type'],
    ['OAU-02 response_type code id_token', { response_type: 'code id_token' }, 'unsupported_response_type'],
    ['OAU-02 response_mode query.jwt', { response_mode: 'query.jwt' }, 'invalid_request'],
    ['OAU-02 response_mode form_post', { response_mode: 'form_post' }, 'invalid_request'],
    ['OAU-09 a challenge of 44 characters', { code_challenge: 'a'.repeat(44) }, 'invalid_request'],
    ['OAU-09 a challenge with a slash', { code_challenge: `${'a'.repeat(42)}/` }, 'invalid_request'],
    ['OAU-09 a challenge that is not ASCII', { code_challenge: `${'a'.repeat(42)}é` }, 'invalid_request'],
    ['OAU-13 200 scopes', { scope: 'create '.repeat(200).trim() }, 'invalid_scope'],
    ['OAU-13 a scope that is not ASCII', { scope: 'a\u00e9' }, 'invalid_scope'],
    ['OAU-14 a scope that the client is not registered for', { scope: 'admin' }, 'invalid_scope'],
    ['OAU-14 ml.predict', { client_id: 'native', redirect_uri: 'http://127.0.0.1/cb', scope: 'ml.predict' }],
  ] as [string, Fields, string?][])('authorize: %s', async (_, changes, error = 'invalid_scope') => {
    const page = await visitor().open(desk.authorizeUrl({ state: 's', ...changes }));
    const back = new URL(page.headers.get('location') ?? '');
    expect([page.status, back.hash]).toEqual([303, '']);
    expect(Object.fromEntries(back.searchParams)).toMatchObject({ error, state: 's', iss: desk.url });
    expect(back.searchParams.get('error_description') ?? 'none').toMatch(DESCRIPTION);
    for (const name of ['code', 'access_token', 'id_token']) expect(back.searchParams.has(name)).toBe(false);
  });

  it.each([
    ['OAU-13 a state of 8 KB', { state: 's'.repeat(8_192) }],
    ['OAU-13 500 scopes', { scope: 'create '.repeat(500).trim() }],
    ['a fragment in the redirect URI', { redirect_uri: `${REDIRECT}#here` }],
    ['a redirect URI with a user', { redirect_uri: 'http://localhost:3000@evil.example/callback' }],
    ['a redirect URI in another spelling', { redirect_uri: 'http://localhost:3000/%63allback' }],
    ['a client that is a member of every object', { client_id: '__proto__' }],
  ])('authorize: a page and no redirect for %s', async (_, changes) => {
    const page = await visitor().open(desk.authorizeUrl(changes));
    expect([page.status, page.headers.get('location')]).toEqual([400, null]);
  });

  it('authorize: parameters of OpenID Connect that it need not act upon are no error', async () => {
    const back = await desk.authorize({
      ...{ display: 'page', ui_locales: 'de en', claims_locales: 'de', claims: '{}', id_token_hint: '', foo: 'bar' },
      prompt: 'create login',
    });
    expect(codeOf(back)).not.toBe('');
  });

  it('authorize: an empty parameter counts as absent', async () => {
    const page = await visitor().open(desk.authorizeUrl({ response_type: '', state: '' }));
    const back = new URL(page.headers.get('location') ?? '');
    expect([back.searchParams.get('error'), back.searchParams.has('state')]).toEqual(['invalid_request', false]);
  });

  it('authorize: prompt=none without consent is consent_required', async () => {
    const { username, password } = await desk.newcomer();
    const somebody = visitor();
    await somebody.authorize(desk.authorizeUrl({ scope: 'openid' }), { username, password });
    const page = await somebody.open(desk.authorizeUrl({ scope: 'openid email', prompt: 'none' }));
    expect(new URL(page.headers.get('location') ?? '').searchParams.get('error')).toBe('consent_required');
  });

  it('authorize: iss is the issuer of the metadata, the tokens and introspection, byte for byte', async () => {
    const back = await desk.authorize();
    const { body } = await exchange(codeOf(back));
    const issuers = [
      back.searchParams.get('iss'),
      claimsOf(body.access_token).iss,
      claimsOf(body.id_token).iss,
      (await desk.introspect(body.access_token)).body.iss,
      (await desk.fetch('/.well-known/openid-configuration')).body.issuer,
      (await desk.fetch('/.well-known/oauth-authorization-server')).body.issuer,
      ...(await desk.fetch('/.well-known/oauth-protected-resource')).body.authorization_servers,
    ];
    expect(new Set(issuers)).toEqual(new Set([desk.url]));
    expect(desk.url.endsWith('/')).toBe(false);
  });
});

describe('POST /oauth/introspect', () => {
  it('introspect: OAU-35 active tells exactly what RFC 7662 names, and the id of the account', async () => {
    const { body } = await desk.grant();
    const answer = await desk.introspect(body.access_token);
    const { iat, exp, jti, auth_time } = claimsOf(body.access_token);
    expect(answer.body).toMatchObject({ active: true, iat, exp, jti, auth_time, acr: 'aal1', amr: ['pwd'] });
    expect(Object.keys(answer.body).sort()).toEqual(
      [
        ...['active', 'iss', 'sub', 'aud', 'scope', 'client_id', 'username', 'uid', 'token_type'],
        ...['exp', 'iat', 'jti', 'auth_time', 'acr', 'amr'],
      ].sort(),
    );
    expect(cacheOf(answer)).toEqual(['no-store', 'no-cache']);
  });

  it('introspect: OAU-32 revoked, replayed and never issued tokens are {"active":false}, and so are codes', async () => {
    const code = await newCode();
    expect((await desk.introspect(code)).text).toBe('{"active":false}');
    const { body } = await exchange(code);
    await exchange(code);
    const other = (await desk.grant()).body;
    await post('/oauth/revoke', { token: other.refresh_token, client_id: 'spa' });
    const login = await desk.loginTokenOf('viewer');
    for (const token of [body.access_token, body.refresh_token, other.access_token, other.refresh_token, login]) {
      const answer = await desk.introspect(token);
      expect([answer.status, answer.text]).toEqual([200, '{"active":false}']);
      expect(cacheOf(answer)).toEqual(['no-store', 'no-cache']);
    }
  });

  it.each(['access_token', 'refresh_token', 'nonsense', ''])(
    'introspect: the hint %j changes nothing',
    async (hint) => {
      const { body } = await exchange(await newCode({ client_id: 'web' }), { client_id: undefined }, WEB);
      for (const token of [body.access_token, body.refresh_token]) {
        const answer = await post('/oauth/introspect', { token, token_type_hint: hint }, WEB);
        expect(answer.body).toMatchObject({ active: true, client_id: 'web' });
      }
    },
  );

  it('introspect: OAU-34 without credentials 401, in another form 400', async () => {
    const { body } = await desk.grant();
    const token: string = body.access_token;
    const wrong = await desk.introspect(token, basic('web', 'x'.repeat(36)));
    expect(short(wrong)).toEqual([401, 'invalid_client']);
    expect(challengeOf(wrong)).toMatch(/^Basic realm="/);
    expect(short(await desk.introspect(token, {}))).toEqual([401, 'invalid_client']);
    const twice = new URLSearchParams([
      ['token', token],
      ['token', token],
    ]);
    const sent = (init: RequestInit) =>
      desk.fetch('/oauth/introspect', { method: 'POST', ...init, headers: { ...WEB, ...init.headers } });
    expect(short(await sent({ body: twice }))).toEqual([400, 'invalid_request']);
    const json = { body: JSON.stringify({ token }), headers: { 'content-type': 'application/json' } };
    expect(short(await sent(json))).toEqual([400, 'invalid_request']);
    expect(short(await post(`/oauth/introspect?token=${token}`, {}, WEB))).toEqual([400, 'invalid_request']);
  });
});

describe('POST /oauth/revoke', () => {
  it('revoke: exactly 200, empty, for a live, a dead and an unknown token, whatever the hint', async () => {
    const { body } = await desk.grant();
    for (const token of [body.access_token, body.access_token, 'unknown']) {
      const answer = await post('/oauth/revoke', { token, client_id: 'spa', token_type_hint: 'refresh_token' });
      expect([answer.status, answer.text]).toEqual([200, '']);
      expect(answer.headers.get('cache-control')).toBe('no-store');
    }
    expect((await desk.fetch('/me', { headers: bearer(body.access_token) })).status).toBe(401);
  });

  it('revoke: another client ends neither kind of token', async () => {
    const { body } = await desk.grant();
    for (const token of [body.access_token, body.refresh_token]) {
      expect((await post('/oauth/revoke', { token }, WEB)).status).toBe(200);
    }
    expect((await desk.fetch('/me', { headers: bearer(body.access_token) })).status).toBe(200);
    expect((await refresh(body.refresh_token)).status).toBe(200);
  });

  it('revoke: asks for a client and a token', async () => {
    const { body } = await desk.grant();
    expect(short(await post('/oauth/revoke', { token: body.refresh_token }))).toEqual([401, 'invalid_client']);
    expect(short(await post('/oauth/revoke', { client_id: 'spa' }))).toEqual([400, 'invalid_request']);
    expect((await refresh(body.refresh_token)).status).toBe(200);
  });
});

describe('resources', () => {
  it.each(['/me', '/users/me', '/oauth/userinfo'])(
    'resource: %s challenges without an error code first',
    async (path) => {
      const answer = await desk.fetch(path);
      expect(answer.status).toBe(401);
      expect(challengeOf(answer)).toMatch(/^Bearer\b/);
      expect(challengeOf(answer)).not.toMatch(/error|scope/);
      const bad = await desk.fetch(path, { headers: bearer('nonsense') });
      expect([bad.status, challengeOf(bad)]).toEqual([401, expect.stringContaining('error="invalid_token"')]);
    },
  );

  it('resource: the bodies are those of the contract, beside the header', async () => {
    const { body } = await desk.grant();
    desk.clock.now = Date.now() + 3_601_000;
    const expired = bearer(body.access_token);
    const a = await desk.fetch('/users/me', { headers: expired });
    expect([a.status, Object.keys(a.body)]).toEqual([401, ['detail']]);
    const b = await desk.fetch('/me', { headers: expired });
    expect([b.status, Object.keys(b.body)]).toEqual([401, ['error']]);
    desk.clock.reset();
    const scope = await desk.fetch('/ml/predict', {
      headers: bearer((await desk.grant({ scope: 'openid' })).body.access_token),
    });
    expect([scope.status, scope.body.error, typeof scope.body.message]).toEqual([403, 'Forbidden', 'string']);
    expect(challengeOf(scope)).toContain('error="insufficient_scope"');
  });

  it('resource: an expired token is 401 where nobody has to log in', async () => {
    const { body } = await desk.grant();
    expect((await desk.graphql('{ __typename }', body.access_token)).status).toBe(200);
    desk.clock.now = Date.now() + 3_601_000;
    expect((await desk.graphql('{ __typename }', body.access_token)).status).toBe(401);
    expect((await desk.graphql('{ __typename }')).status).toBe(200);
  });

  it('resource: one token, in one header, whose scheme has no case', async () => {
    const { body } = await desk.grant();
    const token: string = body.access_token;
    const status = async (authorization: string, path = '/me') =>
      (await desk.fetch(path, { headers: { authorization } })).status;
    for (const path of ['/me', '/oauth/userinfo']) {
      expect(await status(`bEARER ${token}`, path)).toBe(200);
      for (const bad of [
        `Bearer ${token} ${token}`,
        `Bearer ${token},`,
        `Token ${token}`,
        `Bearer`,
        WEB.authorization ?? '',
      ]) {
        expect(await status(bad, path)).toBe(401);
      }
      expect((await desk.fetch(`${path}?access_token=${token}`)).status).toBe(401);
      expect(await statusOfTwoHeaders(`${desk.url}${path}`, `Bearer ${token}`)).toBe(400);
    }
    expect((await post('/oauth/userinfo', { access_token: token })).status).toBe(401);
  });

  it('resource: POST /refresh takes no token of OAuth, and no id token', async () => {
    const { body } = await desk.grant();
    for (const token of [body.access_token, body.refresh_token, body.id_token]) {
      expect((await desk.fetch('/refresh', { method: 'POST', headers: bearer(token) })).status).toBe(401);
    }
  });

  it('userinfo: is JSON with the sub of the id token, for GET and POST, in no cache', async () => {
    const { body } = await desk.grant();
    for (const method of ['GET', 'POST']) {
      const answer = await desk.fetch('/oauth/userinfo', { method, headers: bearer(body.access_token) });
      expect([answer.status, answer.body.sub]).toEqual([200, claimsOf(body.id_token).sub]);
      expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
      expect(answer.headers.get('cache-control')).toBe('no-store');
    }
    expect((await desk.fetch('/oauth/userinfo', { headers: bearer(body.id_token) })).status).toBe(401);
  });
});

describe('metadata', () => {
  it('metadata: has every member that is required, and offers nothing that is not there', async () => {
    const { body } = await desk.fetch('/.well-known/openid-configuration');
    expect(body).toMatchObject({
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
      code_challenge_methods_supported: ['S256'],
      request_uri_parameter_supported: false,
    });
    const methods = ['none', 'client_secret_basic', 'client_secret_post', 'private_key_jwt', 'tls_client_auth'];
    expect(body.token_endpoint_auth_methods_supported).toEqual(methods);
    expect(body.revocation_endpoint_auth_methods_supported).toEqual(methods);
    expect(body.introspection_endpoint_auth_methods_supported).toEqual(methods.slice(1));
    for (const algorithms of ['token_endpoint', 'introspection_endpoint', 'revocation_endpoint']) {
      expect(body[`${algorithms}_auth_signing_alg_values_supported`]).not.toContain('none');
    }
    expect(body).not.toHaveProperty('registration_endpoint');
    expect(body.scopes_supported).toEqual(expect.arrayContaining(['openid', 'profile', 'email', 'ml.predict']));
    for (const [name, address] of Object.entries(body)) {
      if (!/_endpoint$|_uri$/.test(name)) continue;
      const answer = await desk.fetch(new URL(String(address)).pathname, { method: 'OPTIONS' });
      expect([name, answer.status]).not.toEqual([name, 404]);
    }
  });

  it('metadata: the two documents agree', async () => {
    const openid = await desk.fetch('/.well-known/openid-configuration');
    const oauth = await desk.fetch('/.well-known/oauth-authorization-server');
    for (const answer of [openid, oauth]) {
      expect(answer.status).toBe(200);
      expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
    }
    expect(oauth.body).toEqual(openid.body);
  });

  it('metadata: no header of a request changes an address or the issuer', async () => {
    const headers = {
      forwarded: 'host=evil.example',
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'https',
    };
    for (const path of ['openid-configuration', 'oauth-authorization-server', 'oauth-protected-resource']) {
      const plain = await desk.fetch(`/.well-known/${path}`);
      expect((await desk.fetch(`/.well-known/${path}`, { headers })).text).toBe(plain.text);
    }
    const page = await visitor().open(desk.authorizeUrl({ prompt: 'none' }), { headers });
    expect(new URL(page.headers.get('location') ?? '').searchParams.get('iss')).toBe(desk.url);
    expect(challengeOf(await desk.fetch('/me', { headers }))).not.toContain('evil');
  });

  it('jwks: every key has a kid of its own, a use and an algorithm', async () => {
    const { body } = await desk.fetch('/jwks');
    const kids = body.keys.map((key: { kid: string }) => key.kid);
    expect(new Set(kids).size).toBe(kids.length);
    for (const key of body.keys) {
      expect(key).toMatchObject({ kid: expect.stringMatching(/./), use: 'sig', alg: 'RS256', kty: 'RSA' });
    }
  });

  it('cors: answers to scripts of others name no origin and take no credentials', async () => {
    const origin = 'https://app.example.org';
    const { body } = await desk.grant();
    const answers = [
      await post('/oauth/token', { grant_type: 'refresh_token', client_id: 'spa' }, { origin }),
      await post('/oauth/revoke', { token: 'x', client_id: 'spa' }, { origin }),
      await desk.fetch('/oauth/userinfo', { headers: { origin, ...bearer(body.access_token) } }),
      await desk.fetch('/oauth/userinfo', { headers: { origin } }),
      ...(await Promise.all(
        ['/jwks', '/.well-known/openid-configuration', '/.well-known/oauth-protected-resource'].map((path) =>
          desk.fetch(path, { headers: { origin } }),
        ),
      )),
    ];
    for (const { headers } of answers) {
      expect(headers.get('access-control-allow-origin')).toBe('*');
      expect(headers.get('access-control-allow-credentials')).toBeNull();
    }
    const closed = await post('/oauth/introspect', { token: 'x' }, { origin, ...WEB });
    expect(closed.headers.get('access-control-allow-origin')).toBeNull();
  });
});

describe('the registry', () => {
  it.each([
    ...['javascript:alert(1)', 'data:text/html,x', 'https://app.example.org/*', 'https://app.example.org/#x'],
    ...['http://app.example.org/cb', '/callback', 'https://*.example.org/cb', 'org.example.app:/cb'],
  ])('clients: OAU-05 the server does not start with the redirect URI %s', async (uri) => {
    const registration = { client_id: 'bad', token_endpoint_auth_method: 'none', scope: 'create' } as const;
    const start = openDesk({}, [{ ...registration, redirect_uris: [uri] }]);
    await expect(start).rejects.toThrow(/^CLIENTS_FILE is refused: clients\[\d+\]\.redirect_uris\[0\]/);
  });
});

/** `fetch` would join them. */
function statusOfTwoHeaders(url: string, authorization: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(url, {
      headers: ['host', new URL(url).host, ...Array(2).fill(['authorization', authorization]).flat()],
    });
    request.on('response', (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    request.on('error', reject);
    request.end();
  });
}
