import { isDoorwardError } from 'doorward';
import { createOAuthClient, type OAuthClientOptions } from 'doorward/oauth/client';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Provider, startProvider } from '../oauth/client/provider.ts';

let provider: Provider;
let other: Provider;
beforeAll(async () => {
  [provider, other] = await Promise.all([startProvider(), startProvider()]);
});
afterAll(() => Promise.all([provider.close(), other.close()]));
afterEach(() => {
  for (const each of [provider, other]) {
    Object.assign(each, { metadata: {}, idToken: {}, tokens: {}, answer: undefined, userinfo: { sub: 'ada' } });
    each.asked.length = 0;
  }
});

const clientOf = (at: Provider, options: Partial<OAuthClientOptions> = {}) =>
  createOAuthClient({
    issuer: at.issuer,
    clientId: 'app',
    redirectUri: 'https://app.example.org/callback',
    timeoutMs: 500,
    ...options,
  });

/** Begins a login and makes the address that a provider would send the browser back to. */
async function begun(client: ReturnType<typeof clientOf>, at: Provider = provider) {
  const { url, transaction } = await client.authorizationUrl();
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
    ['no access token', { access_token: undefined }, 'access_token'],
    ['a scope that is a list', { scope: ['openid'] }, 'scope'],
  ])('%s', async (_, tokens, field) => {
    provider.tokens = tokens;
    expect((await refusal(clientOf(provider).refresh('r'))).field).toBe(field);
  });

  it('HTML, other statuses, redirects, long and late answers', async () => {
    const client = clientOf(provider);
    const answers: [Provider['answer'], string][] = [
      [(respond) => respond(200, '<html>', 'text/html'), 'OAUTH_RESPONSE_INVALID'],
      [(respond) => respond(201, '{}'), 'OAUTH_RESPONSE_INVALID'],
      [(respond) => respond(200, '[]'), 'OAUTH_RESPONSE_INVALID'],
      [(respond) => respond(200, '{"access_token":"a","access_token":"b"}'), 'OAUTH_RESPONSE_INVALID'],
      [(respond) => respond(307, '', 'text/plain', { location: `${other.issuer}/token` }), 'OAUTH_RESPONSE_INVALID'],
      [(respond) => respond(200, `"${'x'.repeat(70_000)}"`), 'OAUTH_RESPONSE_INVALID'],
      [(respond) => respond(500, '<html>', 'text/html'), 'SERVICE_UNAVAILABLE'],
      [(respond) => respond(400, '{"error":"invalid_grant","error_description":"secret"}'), 'OAUTH_REFUSED'],
      [() => undefined, 'SERVICE_UNAVAILABLE'],
    ];
    for (const [answer, code] of answers) {
      provider.answer = answer;
      const error = await refusal(client.refresh('the-refresh-token'));
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

describe('refreshing', () => {
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

  it('does not remember a failure', async () => {
    const client = clientOf(provider);
    provider.answer = (respond) => respond(503, '{}');
    await refusal(client.refresh('one'));
    provider.answer = undefined;
    expect((await client.refresh('one')).accessToken).toBe('an-access-token');
  });
});
