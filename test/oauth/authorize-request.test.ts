import { describe, expect, it } from 'vitest';
import { ASKED, CALLBACK, CHALLENGE, createAuthorizeWorld, ISSUER, logIn, queryOf } from './support/authorize-world.ts';

const TRUSTED = { clients: [{ consent: 'implied' as const }] };

describe('a request without a verified address to answer to', () => {
  it.each([
    ['no client', { client_id: undefined }],
    ['an unknown client', { client_id: 'nobody' }],
    ['a client by the name of a built-in property', { client_id: '__proto__' }],
    ['no redirect_uri', { redirect_uri: undefined }],
    ['another redirect_uri', { redirect_uri: 'https://evil.example/callback' }],
    ['a redirect_uri with more path', { redirect_uri: `${CALLBACK}/../evil` }],
    ['a redirect_uri with a query', { redirect_uri: `${CALLBACK}?next=x` }],
    ['a redirect_uri in other case', { redirect_uri: CALLBACK.toUpperCase() }],
    ['a state of 8 KiB', { state: 'x'.repeat(8_192) }],
    ['500 scopes', { scope: Array.from({ length: 500 }, (_, index) => `scope${index}`).join(' ') }],
  ])('OAU-01 OAU-13 is a page for %s: no Location, no cookie', async (_, asked) => {
    const world = await createAuthorizeWorld();
    const { status, headers, view } = await world.visitor().get(asked);
    expect({ status, location: headers.get('location'), cookies: headers.getSetCookie() }).toEqual({
      status: 400,
      location: null,
      cookies: [],
    });
    expect(view).toMatchObject({ kind: 'error', status: 400 });
  });

  it.each([
    ['repeated client_id', `${queryOf({})}&client_id=spa`],
    ['repeated redirect_uri', `${queryOf({})}&redirect_uri=https%3A%2F%2Fevil.example`],
    ['bytes that are no UTF-8', `${queryOf({})}&nonce=%E9`],
    [
      'a query of more than 8 KiB',
      `${queryOf({})}&a=${'x'.repeat(2_000)}&b=${'x'.repeat(2_000)}&c=${'x'.repeat(2_000)}&d=${'x'.repeat(2_000)}`,
    ],
  ])('OAU-01 is a page for %s', async (_, query) => {
    const world = await createAuthorizeWorld();
    expect(await world.visitor().get(query)).toMatchObject({ status: 400, redirect: undefined });
  });

  it('is told to whoever listens, without what the request said', async () => {
    const world = await createAuthorizeWorld();
    await world.visitor().get({ client_id: 'nobody' });
    await world.visitor().get({ redirect_uri: 'https://evil.example' });
    expect(world.audit.slice(-2)).toEqual([
      { type: 'client.rejected', reason: 'authorization_request', ip: '192.0.2.1', requestId: 'r1' },
      {
        ...{ type: 'authorization.refused', clientId: 'spa', error: 'redirect_uri_not_registered' },
        ...{ ip: '192.0.2.1', requestId: 'r1' },
      },
    ]);
  });
});

describe('a request that is refused', () => {
  it.each([
    ['OAU-02 no response_type', { response_type: undefined }, 'invalid_request'],
    ['OAU-02 token', { response_type: 'token' }, 'unsupported_response_type'],
    ['OAU-02 id_token', { response_type: 'id_token' }, 'unsupported_response_type'],
    ['OAU-02 code token', { response_type: 'code token' }, 'unsupported_response_type'],
    ['OAU-02 none', { response_type: 'none' }, 'unsupported_response_type'],
    ['OAU-02 response_mode fragment', { response_mode: 'fragment' }, 'invalid_request'],
    ['OAU-02 response_mode query.jwt', { response_mode: 'query.jwt' }, 'invalid_request'],
    ['request', { request: 'e30.e30.' }, 'request_not_supported'],
    ['request_uri', { request_uri: 'https://evil.example/r' }, 'request_uri_not_supported'],
    ['registration', { registration: '{}' }, 'registration_not_supported'],
    ['no challenge', { code_challenge: undefined }, 'invalid_request'],
    ['no method', { code_challenge_method: undefined }, 'invalid_request'],
    ['the method plain', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['OAU-09 42 characters', { code_challenge: CHALLENGE.slice(1) }, 'invalid_request'],
    ['OAU-09 44 characters', { code_challenge: `${CHALLENGE}A` }, 'invalid_request'],
    ['OAU-09 padding', { code_challenge: `${CHALLENGE.slice(1)}=` }, 'invalid_request'],
    ['OAU-09 the other alphabet', { code_challenge: `+/${CHALLENGE.slice(2)}` }, 'invalid_request'],
    ['OAU-13 a quote', { scope: 'a"b' }, 'invalid_scope'],
    ['OAU-13 two spaces', { scope: 'openid  profile' }, 'invalid_scope'],
    ['OAU-13 no ASCII', { scope: 'a\u00e9' }, 'invalid_scope'],
    ['OAU-14 an unregistered scope', { scope: 'openid admin' }, 'invalid_scope'],
    ['a foreign resource', { resource: 'https://evil.example' }, 'invalid_target'],
    ['a prompt beside none', { prompt: 'none login' }, 'invalid_request'],
    ['max_age of words', { max_age: 'soon' }, 'invalid_request'],
    ['max_age below 0', { max_age: '-1' }, 'invalid_request'],
    ['max_age with a fraction', { max_age: '1.5' }, 'invalid_request'],
    ['dpop_jkt of another form', { dpop_jkt: 'key' }, 'invalid_request'],
    ['a long nonce', { nonce: 'n'.repeat(513) }, 'invalid_request'],
    ['a login_hint with a line end', { login_hint: 'ada\nGET' }, 'invalid_request'],
    ['a long login_hint', { login_hint: 'a'.repeat(257) }, 'invalid_request'],
  ])('OAU-07 %s: a redirect with error, state and iss, and no code', async (_, asked, error) => {
    const world = await createAuthorizeWorld(TRUSTED);
    const visitor = world.visitor();
    expect((await logIn(visitor)).redirect).toHaveProperty('code');
    const { status, headers, redirect } = await visitor.get(asked);
    expect(status).toBe(303);
    expect(headers.get('location')?.startsWith(`${CALLBACK}?`)).toBe(true);
    expect(redirect).toMatchObject({ error, state: ASKED.state, iss: ISSUER });
    expect(redirect).not.toHaveProperty('code');
    expect(redirect?.error_description ?? '').toMatch(/^[\x20-\x21\x23-\x5B\x5D-\x7E]*$/);
    expect(world.codes.size).toBe(1);
    expect(world.audit.at(-1)).toMatchObject({ type: 'authorization.refused', clientId: 'spa', error });
  });

  it('OAU-07 a repeated parameter is told by a redirect, and a repeated state is not sent back', async () => {
    const visitor = (await createAuthorizeWorld()).visitor();
    const scope = await visitor.get(`${queryOf({})}&scope=openid`);
    expect(scope.redirect).toMatchObject({ error: 'invalid_request', state: ASKED.state });
    const state = await visitor.get(`${queryOf({})}&state=other`);
    expect(state.redirect).toMatchObject({ error: 'invalid_request', iss: ISSUER });
    expect(state.redirect).not.toHaveProperty('state');
  });

  it('is refused for a client that has no authorization_code grant', async () => {
    const world = await createAuthorizeWorld({ clients: [{ id: 'job', grantTypes: ['client_credentials'] }] });
    expect((await world.visitor().get({ client_id: 'job' })).redirect).toMatchObject({ error: 'unauthorized_client' });
  });
});

describe('what goes back to the client', () => {
  it.each(['a b+c%20&=#"\u00e9\u{1F600}', 'x'.repeat(2_048), '\r\nSet-Cookie: a=b', '%2B%252B'])(
    'is the state as it came (case %#), in a header that it cannot break',
    async (state) => {
      const world = await createAuthorizeWorld({ clients: [{ consent: 'implied' }] });
      const answer = await logIn(world.visitor(), { state });
      expect(answer.redirect).toMatchObject({ state, iss: ISSUER });
      expect(answer.headers.get('location')).not.toMatch(/[\r\n ]/);
      expect(answer.headers.getSetCookie().join()).not.toContain('a=b');
    },
  );

  it('is appended to the query of the registered address, without a fragment', async () => {
    const redirectUris = ['https://app.example.org/cb?tenant=a%20b', 'com.example.app:/cb'];
    const world = await createAuthorizeWorld({ clients: [{ id: 'own', consent: 'implied', redirectUris }] });
    for (const [index, redirect_uri] of redirectUris.entries()) {
      const visitor = world.visitor();
      const page = await visitor.get({ client_id: 'own', redirect_uri });
      const target = index === 0 ? 'https://app.example.org' : 'com.example.app:';
      expect(page.headers.get('content-security-policy')).toContain(`form-action 'self' ${target};`);
      const location = (await logIn(visitor, { client_id: 'own', redirect_uri })).headers.get('location') ?? '';
      expect(location.startsWith(`${redirect_uri}${index === 0 ? '&' : '?'}code=`)).toBe(true);
      expect(location).not.toContain('#');
    }
  });

  it('OAU-28 OAU-29 is a 303 that nothing keeps and that tells no referrer', async () => {
    const world = await createAuthorizeWorld(TRUSTED);
    const { status, headers } = await logIn(world.visitor());
    expect(status).toBe(303);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
  });
});

describe('an authorization request in a form', () => {
  it('goes on as a GET with the parameters of the protocol, and no other field', async () => {
    const world = await createAuthorizeWorld();
    const visitor = world.visitor();
    const body = new URLSearchParams({ ...ASKED, password: 'hunter2', csrf: 'x' }).toString();
    const { status, headers } = await visitor.post(`${ISSUER}/authorize`, body, { origin: 'https://app.example.org' });
    expect(status).toBe(303);
    const location = new URL(headers.get('location') ?? '');
    expect(`${location.origin}${location.pathname}`).toBe(`${ISSUER}/authorize`);
    expect(Object.fromEntries(location.searchParams)).toEqual(ASKED);
  });

  it.each([
    ['JSON', '{}', 'application/json', 400],
    ['16 KiB and more', `a=${'x'.repeat(16_384)}`, 'application/x-www-form-urlencoded', 413],
    ['no form', '%', 'application/x-www-form-urlencoded', 400],
  ])('is a page for %s', async (_, body, type, status) => {
    const world = await createAuthorizeWorld();
    for (const query of ['', `?${queryOf({})}`]) {
      const answer = await world.visitor().post(`${ISSUER}/authorize${query}`, body, { 'content-type': type });
      expect(answer).toMatchObject({ status, redirect: undefined, view: { kind: 'error' } });
    }
  });
});
