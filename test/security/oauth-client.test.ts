import { createHmac, generateKeyPairSync } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { isDoorwardError } from 'doorward';
import { type AuthorizationRequestOptions, createOAuthClient, type OAuthClientOptions } from 'doorward/oauth/client';
import { createTokenIssuer } from 'doorward/tokens';
import { Agent } from 'undici';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { key, type Provider, startProvider } from '../oauth/client/provider.ts';

let provider: Provider;
let other: Provider;
beforeAll(async () => {
  [provider, other] = await Promise.all([startProvider(), startProvider()]);
});
afterAll(() => Promise.all([provider.close(), other.close()]));
afterEach(() => {
  for (const each of [provider, other]) {
    Object.assign(each, { metadata: {}, idToken: {}, tokens: {}, jwks: {}, userinfo: { sub: 'ada' } });
    Object.assign(each, { answer: undefined, answerUserinfo: undefined, wholeIdToken: undefined });
    each.asked.length = 0;
  }
});

const clientOf = (at: Provider, options: Partial<OAuthClientOptions> = {}) =>
  createOAuthClient({
    issuer: at.issuer,
    clientId: 'app',
    redirectUri: 'https://app.example.org/callback',
    timeoutMs: 10_000,
    ...options,
  });

/** Begins a login and makes the address that a provider would send the browser back to. */
async function begun(
  client: ReturnType<typeof clientOf>,
  at: Provider = provider,
  request?: AuthorizationRequestOptions,
) {
  const { url, transaction } = await client.authorizationUrl(request);
  const asked = new URL(url).searchParams;
  at.idToken = { nonce: asked.get('nonce') ?? '', ...at.idToken };
  const back = new URL('https://app.example.org/callback');
  const answer = { code: 'the-code', state: asked.get('state') ?? '', iss: at.issuer };
  for (const [name, value] of Object.entries(answer)) back.searchParams.set(name, value);
  return { back, transaction, asked };
}

async function refusal(attempt: Promise<unknown>) {
  const error = await attempt.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!isDoorwardError(error)) throw new Error(`not refused by an error of ours: ${String(error)}`);
  return error;
}

describe('the callback', () => {
  it('is taken when everything is right', async () => {
    const client = clientOf(provider);
    const { back, transaction } = await begun(client);
    const tokens = await client.handleCallback(back, transaction);
    expect(tokens).toMatchObject({ accessToken: 'an-access-token', claims: { sub: 'ada' } });
    expect(provider.asked[0]?.get('code_verifier')).toMatch(/^[\w-]{43}$/);
  });

  it('OAU-26: refuses a code that was injected into another browser', async () => {
    const client = clientOf(provider);
    const [victim, attacker] = [await begun(client), await begun(client)];
    const injected = new URL(victim.back);
    injected.searchParams.set('state', attacker.transaction.state);
    expect((await refusal(client.handleCallback(injected, victim.transaction))).field).toBe('state');
    // A server that does not look at the verifier gives away the code, and the ID token answers the attacker's request.
    provider.idToken = { nonce: attacker.asked.get('nonce') ?? '' };
    expect((await refusal(client.handleCallback(victim.back, victim.transaction))).field).toBe('nonce');
  });

  it('OAU-27: refuses an answer of another server, or of none, before it asks for a token', async () => {
    const client = clientOf(provider);
    for (const iss of [undefined, other.issuer, `${provider.issuer}/`, '']) {
      const { back, transaction } = await begun(client);
      if (iss === undefined) back.searchParams.delete('iss');
      else back.searchParams.set('iss', iss);
      expect((await refusal(client.handleCallback(back, transaction))).field).toBe('iss');
    }
    expect(provider.asked).toHaveLength(0);
  });

  it('OAU-27: refuses what was begun at another server', async () => {
    const here = clientOf(provider);
    const there = await begun(clientOf(other), other);
    const back = new URL(there.back);
    back.searchParams.set('iss', provider.issuer);
    expect((await refusal(here.handleCallback(back, there.transaction))).field).toBe('transaction');
    expect(provider.asked).toHaveLength(0);
  });

  it.each([
    ['no transaction', undefined],
    ['one of nothing', {}],
    ['one by inheritance', 'inherited'],
  ])('refuses %s', async (_, given) => {
    const client = clientOf(provider);
    const { back, transaction } = await begun(client);
    const forged = given === 'inherited' ? Object.create(transaction) : given;
    expect((await refusal(client.handleCallback(back, forged))).field).toBe('transaction');
  });

  it('refuses a transaction that is too old, and one of the future', async () => {
    let now = Date.now();
    const client = clientOf(provider, { clock: () => now, maxTransactionSeconds: 60 });
    const { back, transaction } = await begun(client);
    now += 61_000;
    expect((await refusal(client.handleCallback(back, transaction))).message).toBe('transaction is too old');
    now -= 120_000;
    expect((await refusal(client.handleCallback(back, transaction))).field).toBe('transaction');
  });

  it.each(['state', 'iss', 'code'])('refuses a repeated %s', async (name) => {
    const client = clientOf(provider);
    const { back, transaction } = await begun(client);
    back.searchParams.append(name, back.searchParams.get(name) ?? '');
    expect((await refusal(client.handleCallback(back, transaction))).field).toBe(name);
  });

  it('tells the error code of the server, after iss and state were right', async () => {
    const client = clientOf(provider);
    const { back, transaction } = await begun(client);
    back.searchParams.delete('code');
    back.searchParams.set('error', 'access_denied');
    expect(await refusal(client.handleCallback(back, transaction))).toMatchObject({
      code: 'OAUTH_REFUSED',
      oauthError: 'access_denied',
    });
    back.searchParams.set('state', 'forged');
    expect((await refusal(client.handleCallback(back, transaction))).field).toBe('state');
  });
});

describe('the ID token', () => {
  it.each([
    ['another issuer', { iss: 'https://evil.example.org' }, 'id_token'],
    ['another audience', { aud: 'somebody' }, 'id_token'],
    ['several audiences', { aud: ['app', 'somebody'] }, 'id_token'],
    ['a signature of another key', { forge: true }, 'id_token'],
    ['another nonce', { nonce: 'x' }, 'nonce'],
    ['no nonce', { nonce: undefined }, 'nonce'],
    ['the at_hash of another token', { at_hash: 'x' }, 'at_hash'],
    ['another azp', { azp: 'somebody' }, 'azp'],
  ])('with %s is refused', async (_, claims, field) => {
    const client = clientOf(provider);
    provider.idToken = claims;
    const { back, transaction } = await begun(client);
    expect(await refusal(client.handleCallback(back, transaction))).toMatchObject({
      code: 'OAUTH_RESPONSE_INVALID',
      field,
    });
  });

  it('has to be there when openid was asked for', async () => {
    const client = clientOf(provider);
    provider.tokens = { id_token: undefined };
    const { back, transaction } = await begun(client);
    expect((await refusal(client.handleCallback(back, transaction))).field).toBe('id_token');
  });

  it('has to tell of a login as recent and as strong as was asked for', async () => {
    const client = clientOf(provider);
    const now = Math.floor(Date.now() / 1_000);
    for (const [claims, field] of [
      [{}, 'auth_time'],
      [{ auth_time: now - 120 }, 'auth_time'],
      [{ auth_time: now }, 'acr'],
      [{ auth_time: now, acr: 'aal1' }, 'acr'],
    ] as const) {
      const { url, transaction } = await client.authorizationUrl({ maxAgeSeconds: 60, acrValues: ['aal2'] });
      const asked = new URL(url).searchParams;
      provider.idToken = { nonce: asked.get('nonce') ?? '', ...claims };
      const back = `/callback?code=c&iss=${encodeURIComponent(provider.issuer)}&state=${asked.get('state')}`;
      expect((await refusal(client.handleCallback(back, transaction))).field).toBe(field);
    }
  });

  it('cannot tell of a login in the future', async () => {
    const client = clientOf(provider);
    for (const auth_time of [Math.floor(Date.now() / 1_000) + 600, Number.MAX_VALUE, '9', null]) {
      provider.idToken = { auth_time };
      const { back, transaction } = await begun(client, provider, { maxAgeSeconds: 60 });
      expect((await refusal(client.handleCallback(back, transaction))).field).toBe('auth_time');
    }
  });

  it('has to tell of a new login after prompt=login, which whoever holds the browser can take out of the address', async () => {
    const client = clientOf(provider);
    const now = Math.floor(Date.now() / 1_000);
    for (const auth_time of [undefined, now - 120]) {
      provider.idToken = { auth_time };
      const { back, transaction } = await begun(client, provider, { prompt: 'login' });
      expect((await refusal(client.handleCallback(back, transaction))).field).toBe('auth_time');
    }
  });

  it('is taken of a login that this request caused, however long the pages after it took', async () => {
    let now = Date.now();
    const client = clientOf(provider, { clock: () => now, toleranceSeconds: 0 });
    const { back, transaction } = await begun(client, provider, { maxAgeSeconds: 0 });
    provider.idToken = { ...provider.idToken, auth_time: Math.floor(now / 1_000), iat: Math.floor(now / 1_000) };
    now += 90_000;
    expect((await client.handleCallback(back, transaction)).claims?.sub).toBe('ada');
  });

  it.each([
    ['text in place of a list', { acrValues: 'aal2' }],
    ['a list of no text', { acrValues: [2] }],
    ['an age in words', { maxAgeSeconds: '60' }],
    ['an age without end', { maxAgeSeconds: Number.POSITIVE_INFINITY }],
  ])('is not taken on when what was asked for came back from the session as %s', async (_, damage) => {
    const client = clientOf(provider);
    provider.idToken = { auth_time: 1, acr: 'aal1' };
    const { back, transaction } = await begun(client, provider, { maxAgeSeconds: 60, acrValues: ['aal2'] });
    const damaged = { ...transaction, ...damage } as unknown as typeof transaction;
    expect((await refusal(client.handleCallback(back, damaged))).field).toBe('transaction');
  });

  it.each([
    ['an access token', 'at+jwt'],
    ['a logout token', 'logout+jwt'],
    ['a client assertion', 'client-authentication+jwt'],
  ])('cannot be %s of the same issuer', async (_, typ) => {
    const client = clientOf(provider);
    const issuer = createTokenIssuer({ key, issuer: provider.issuer, audience: 'app', typ });
    provider.wholeIdToken = (claims) => issuer.issue({ sub: 'ada', ...claims });
    const { back, transaction } = await begun(client);
    expect((await refusal(client.handleCallback(back, transaction))).field).toBe('id_token');
  });

  it.each(['none', 'HS256'])('cannot be signed by %s', async (alg) => {
    const secret = 'c'.repeat(40);
    const client = clientOf(provider, { authentication: { method: 'client_secret_basic', secret } });
    provider.wholeIdToken = (claims) => {
      const iat = Math.floor(Date.now() / 1_000);
      const body = { iss: provider.issuer, aud: 'app', sub: 'ada', iat, exp: iat + 60, ...claims };
      const signed = [{ alg, kid: 'k' }, body].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'));
      const mac = createHmac('sha256', secret).update(signed.join('.')).digest('base64url');
      return `${signed.join('.')}.${alg === 'none' ? '' : mac}`;
    };
    const { back, transaction } = await begun(client);
    expect((await refusal(client.handleCallback(back, transaction))).field).toBe('id_token');
  });

  it('is not handed on unverified where none was asked for', async () => {
    const client = clientOf(provider, { scope: 'read' });
    provider.wholeIdToken = () => 'e30.e30.';
    const { back, transaction } = await begun(client);
    expect(await client.handleCallback(back, transaction)).not.toHaveProperty('idToken');
    expect(await client.refresh('r')).not.toHaveProperty('idToken');
  });

  it('cannot be judged where the issuer has no keys', async () => {
    const client = clientOf(provider);
    provider.jwks = { keys: [] };
    const { back, transaction } = await begun(client);
    expect((await refusal(client.handleCallback(back, transaction))).code).toBe('SERVICE_UNAVAILABLE');
  });

  it('of a refresh must be about the same user', async () => {
    const client = clientOf(provider);
    provider.idToken = { sub: 'mallory' };
    expect((await refusal(client.refresh('refresh-0', 'ada'))).field).toBe('sub');
  });
});

describe('answers of a hostile server', () => {
  it.each([
    ['another token type', { token_type: 'mac' }, 'token_type'],
    ['no token type', { token_type: undefined }, 'token_type'],
    ['a lifetime in words', { expires_in: '30m' }, 'expires_in'],
    ['a negative lifetime', { expires_in: -1 }, 'expires_in'],
    ['a lifetime beyond all dates', { expires_in: 1e300 }, 'expires_in'],
    ['an access token that is two header lines', { access_token: 'a\r\nx: y' }, 'access_token'],
    ['a refresh token of other letters', { refresh_token: 'é' }, 'refresh_token'],
    ['no access token', { access_token: undefined }, 'access_token'],
    ['a scope that is a list', { scope: ['openid'] }, 'scope'],
  ])('%s', async (_, tokens, field) => {
    provider.tokens = tokens;
    expect((await refusal(clientOf(provider).refresh('r'))).field).toBe(field);
  });

  it('HTML, other statuses, redirects, long and late answers', async () => {
    const answers: [Provider['answer'], string, { timeoutMs?: number }?][] = [
      [(respond) => respond(200, '<html>', 'text/html'), 'OAUTH_RESPONSE_INVALID'],
      [(respond) => respond(201, '{}'), 'OAUTH_RESPONSE_INVALID'],
      [(respond) => respond(200, '[]'), 'OAUTH_RESPONSE_INVALID'],
      [(respond) => respond(200, '{"access_token":"a","access_token":"b"}'), 'OAUTH_RESPONSE_INVALID'],
      [(respond) => respond(307, '', 'text/plain', { location: `${other.issuer}/token` }), 'OAUTH_RESPONSE_INVALID'],
      [(respond) => respond(200, `"${'x'.repeat(70_000)}"`), 'OAUTH_RESPONSE_INVALID'],
      [(respond) => respond(500, '<html>', 'text/html'), 'SERVICE_UNAVAILABLE'],
      [(respond) => respond(400, '{"error":"invalid_grant","error_description":"secret"}'), 'OAUTH_REFUSED'],
      [() => undefined, 'SERVICE_UNAVAILABLE', { timeoutMs: 500 }],
    ];
    for (const [answer, code, options] of answers) {
      provider.answer = answer;
      const error = await refusal(clientOf(provider, options).refresh('the-refresh-token'));
      expect(error.code).toBe(code);
      expect(`${error.message} ${JSON.stringify(error)}`).not.toMatch(/the-refresh-token|secret/);
    }
    expect(other.asked).toHaveLength(0);
  });

  it('metadata of another issuer, or that sends the client elsewhere without TLS', async () => {
    for (const [metadata, field] of [
      [{ issuer: other.issuer }, 'issuer'],
      [{ issuer: `${provider.issuer}/` }, 'issuer'],
      [{ token_endpoint: 'http://evil.example.org/token' }, 'token_endpoint'],
      [{ authorization_endpoint: 'javascript:alert(1)' }, 'authorization_endpoint'],
      [{ token_endpoint: undefined }, 'token_endpoint'],
      [{ token_endpoint: ['https://login.example.org/token'] }, 'token_endpoint'],
      [{ revocation_endpoint: 'https://127.0.0.1.example.org:x/' }, 'revocation_endpoint'],
      [{ code_challenge_methods_supported: ['plain'] }, 'code_challenge_methods_supported'],
      [{ code_challenge_methods_supported: 'S256' }, 'code_challenge_methods_supported'],
    ] as const) {
      provider.metadata = metadata;
      expect((await refusal(clientOf(provider).authorizationUrl())).field).toBe(field);
    }
  });

  it('userinfo about somebody else', async () => {
    provider.userinfo = { sub: 'mallory' };
    expect((await refusal(clientOf(provider).userInfo('t', 'ada'))).field).toBe('sub');
  });
});

describe('what a server sends and does not end', () => {
  it('is cut off at the deadline, and its connection closed', async () => {
    const client = clientOf(provider, { timeoutMs: 200 });
    let closed: Promise<void> | undefined;
    provider.answer = (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const drip = setInterval(() => response.write(' '), 20);
      closed = new Promise((resolve) => {
        response.once('close', () => {
          clearInterval(drip);
          resolve();
        });
      });
    };
    expect((await refusal(client.refresh('r'))).code).toBe('SERVICE_UNAVAILABLE');
    await closed;
  });

  it('is cut off at the limit, and is never inflated', async () => {
    const client = clientOf(provider, { timeoutMs: 5_000 });
    let closed: Promise<void> | undefined;
    provider.answer = (_, response) => {
      closed = new Promise((resolve) => void response.once('close', resolve));
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('x'.repeat(70_000));
    };
    expect((await refusal(client.refresh('r'))).message).toBe('response is too long');
    await closed;
    const bomb = gzipSync(JSON.stringify({ access_token: 'a'.repeat(50_000_000), token_type: 'Bearer' }));
    provider.answer = (respond) => respond(200, bomb, 'application/json', { 'content-encoding': 'gzip' });
    expect((await refusal(client.refresh('r'))).field).toBe('response');
  });
});

describe('userinfo', () => {
  it('about nobody is not taken for the nobody of a caller without a login', async () => {
    const nobody = undefined as unknown as string;
    provider.userinfo = { email: 'mallory@example.org' };
    expect((await refusal(clientOf(provider).userInfo('t', nobody))).field).toBe('sub');
  });

  it('that a server refuses in its challenge alone is a refusal (RFC 6750 section 3.1)', async () => {
    const challenge = { 'www-authenticate': 'Bearer realm="r", error="invalid_token", error_description="x"' };
    provider.answerUserinfo = (respond) =>
      respond(401, '{"detail":"Not authenticated"}', 'application/json', challenge);
    expect(await refusal(clientOf(provider).userInfo('t', 'ada'))).toMatchObject({
      code: 'OAUTH_REFUSED',
      oauthError: 'invalid_token',
    });
  });
});

describe('what is wrong with the options', () => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  it.each([
    ['no algorithm', { algorithms: [] }],
    ['an algorithm of shared secrets', { algorithms: ['HS256'] }],
    ['no such document', { discovery: 'openid' }],
    ['a dispatcher that sends nothing', { dispatcher: {} }],
    ['a scope with a line break, which would not ask for an ID token', { scope: 'openid\nprofile' }],
    ['a scope of two spaces', { scope: 'openid  profile' }],
    ['a redirect URI with a fragment', { redirectUri: 'https://app.example.org/callback#x' }],
    ['a bare key object', { authentication: { method: 'private_key_jwt', key: privateKey } }],
    ['an issuer without TLS', { issuer: 'http://login.example.org' }],
    ['an unknown name', { clientSecret: 'x' }],
  ])('%s: found at once', (_, options) => {
    expect(() => clientOf(provider, options as never)).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
  });

  it.each([
    ['maxAgeSeconds', { maxAgeSeconds: Number.NaN }],
    ['maxAgeSeconds', { maxAgeSeconds: -1 }],
    ['acrValues', { acrValues: [] }],
    ['acrValues', { acrValues: 'aal2' }],
    ['prompt', { prompt: 'consent login' }],
  ])('%s of one request', async (field, request) => {
    const error = await refusal(clientOf(provider).authorizationUrl(request as never));
    expect(error).toMatchObject({ code: 'INPUT_INVALID', field });
  });
});

describe('what only an ID token can tell', () => {
  it.each([
    ['maxAgeSeconds', { maxAgeSeconds: 60 }],
    ['acrValues', { acrValues: ['aal2'] }],
    ['prompt', { prompt: 'login' as const }],
  ])('%s is not asked for without one', async (field, request) => {
    const plain = clientOf(provider, { scope: 'read' });
    expect(await refusal(plain.authorizationUrl(request))).toMatchObject({ code: 'INPUT_INVALID', field });
    const { back, transaction } = await begun(clientOf(provider), provider, request);
    expect((await refusal(plain.handleCallback(back, transaction))).field).toBe('transaction');
    expect(provider.asked).toHaveLength(0);
  });
});

describe('a closed client', () => {
  it('ends no login, whether or not it had fetched the keys', async () => {
    for (const hasKeys of [true, false]) {
      const client = clientOf(provider);
      if (hasKeys) {
        const { back, transaction } = await begun(client);
        await client.handleCallback(back, transaction);
      }
      const { back, transaction } = await begun(client);
      client.close();
      expect((await refusal(client.handleCallback(back, transaction))).code).toBe('SERVICE_UNAVAILABLE');
    }
  });
});

describe('the dispatcher', () => {
  it('sends everything, the fetch of the keys too', async () => {
    const paths: string[] = [];
    const agent = new Agent().compose((dispatch) => (options, handler) => {
      paths.push(options.path);
      return dispatch(options, handler);
    });
    const client = clientOf(provider, { dispatcher: agent });
    const { back, transaction } = await begun(client);
    await client.handleCallback(back, transaction);
    expect(paths).toContain('/token');
    expect(paths).toContain('/jwks');
    client.close();
    await agent.close();
  });
});

describe('refreshing', () => {
  it('tells each of parallel calls about its own user', async () => {
    const client = clientOf(provider);
    const [mine, theirs] = await Promise.allSettled([client.refresh('one', 'ada'), client.refresh('one', 'mallory')]);
    expect(provider.asked).toHaveLength(1);
    expect(mine).toMatchObject({ status: 'fulfilled', value: { claims: { sub: 'ada' } } });
    expect(theirs).toMatchObject({ status: 'rejected', reason: { field: 'sub' } });
  });

  it('shares one request among parallel calls, and none between different tokens', async () => {
    const client = clientOf(provider);
    const answers = await Promise.all(Array.from({ length: 10 }, () => client.refresh('one')));
    expect(provider.asked).toHaveLength(1);
    expect(new Set(answers.map(({ refreshToken }) => refreshToken)).size).toBe(1);
    await Promise.all([client.refresh('two'), client.refresh('three')]);
    expect(provider.asked).toHaveLength(3);
    await client.refresh('one');
    expect(provider.asked).toHaveLength(4);
  });

  it('goes on with the old refresh token where no new one comes', async () => {
    const client = clientOf(provider);
    expect((await client.refresh('one')).refreshToken).toBe('refresh-1');
    provider.tokens = { refresh_token: undefined };
    expect((await client.refresh('one')).refreshToken).toBe('one');
  });

  it('does not remember a failure', async () => {
    const client = clientOf(provider);
    provider.answer = (respond) => respond(503, '{}');
    await refusal(client.refresh('one'));
    provider.answer = undefined;
    expect((await client.refresh('one')).accessToken).toBe('an-access-token');
  });
});

it('tells an operator how the server could not be reached, and nothing of the request', async () => {
  const client = createOAuthClient({
    issuer: 'http://127.0.0.1:1',
    clientId: 'app',
    redirectUri: 'https://a.example/cb',
  });
  const error = await refusal(client.authorizationUrl());
  expect(error.code).toBe('SERVICE_UNAVAILABLE');
  expect(String(error.cause)).toContain('ECONNREFUSED');
});

it('refuses a demand under a misspelt name, which would be made of nobody', async () => {
  const misspelt = { maxAge: 5 } as object;
  const error = await refusal(clientOf(provider).authorizationUrl(misspelt));
  expect([error.code, error.field]).toEqual(['INPUT_INVALID', 'maxAge']);
});
