import { createOAuthClient, type OAuthClientOptions, type TokenSet } from 'doorward/oauth/client';
import { privateKey } from 'doorward/tokens';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Desk, openDesk, SECRET_OF_WEB, signedKey } from '../../contract/oauth-desk.ts';
import { visitor } from '../../contract/visitor.ts';

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
});
afterEach(() => desk.clock.reset());
afterAll(() => desk.close());

const clientOf = (clientId: string, options: Partial<OAuthClientOptions> = {}) =>
  createOAuthClient({
    issuer: desk.url,
    clientId,
    redirectUri: 'http://localhost:3000/callback',
    clock: () => desk.clock.now,
    ...options,
  });

type Client = ReturnType<typeof clientOf>;
type Request = Parameters<Client['authorizationUrl']>[0];

async function login(client: Client, request?: Request, who = visitor()): Promise<TokenSet> {
  const { url, transaction } = await client.authorizationUrl(request);
  return client.handleCallback(await who.authorize(url), JSON.parse(JSON.stringify(transaction)));
}

describe('our client at our server', () => {
  const methods = (): [string, Partial<OAuthClientOptions>][] => [
    ['spa', {}],
    ['web', { authentication: { method: 'client_secret_basic', secret: SECRET_OF_WEB } }],
    ['poster', { authentication: { method: 'client_secret_post', secret: SECRET_OF_WEB } }],
    ['signed', { authentication: { method: 'private_key_jwt', key: privateKey(signedKey.privateKey, { kid: 'k1' }) } }],
  ];

  it.each(methods())('%s logs in, asks who it is, and revokes', async (clientId, options) => {
    const client = clientOf(clientId, options);
    const tokens = await login(client);
    expect(tokens.claims).toMatchObject({ sub: 'viewer', aud: clientId, amr: ['pwd'] });
    expect(tokens.expiresAt).toBeGreaterThan(desk.clock.now);
    expect(await client.userInfo(tokens.accessToken, 'viewer')).toMatchObject({ sub: 'viewer' });
    await client.revoke(tokens.accessToken);
    await expect(client.userInfo(tokens.accessToken, 'viewer')).rejects.toMatchObject({
      code: 'OAUTH_REFUSED',
      oauthError: 'invalid_token',
    });
  });

  it.each(['openid-configuration', 'oauth-authorization-server'] as const)('finds it by %s', async (discovery) => {
    expect((await login(clientOf('spa', { discovery }))).claims?.sub).toBe('viewer');
  });

  it('refreshes at once in several processes, and a revoked grant no more', async () => {
    const [one, other] = [clientOf('spa'), clientOf('spa')];
    const tokens = await login(one);
    const first = tokens.refreshToken ?? '';
    const [a, b, c] = await Promise.all([
      one.refresh(first, 'viewer'),
      one.refresh(first, 'viewer'),
      other.refresh(first, 'viewer'),
    ]);
    expect(a.accessToken).toBe(b.accessToken);
    expect(c.refreshToken).toBe(a.refreshToken);
    expect(a.claims?.auth_time).toBe(tokens.claims?.auth_time);
    await one.revoke(a.refreshToken ?? '');
    await expect(other.refresh(a.refreshToken ?? '')).rejects.toMatchObject({ oauthError: 'invalid_grant' });
    await expect(one.userInfo(a.accessToken, 'viewer')).rejects.toMatchObject({ oauthError: 'invalid_token' });
  });

  it('asks for a resource', async () => {
    const tokens = await login(clientOf('spa', { resource: desk.url }));
    const claims = JSON.parse(Buffer.from(tokens.accessToken.split('.')[1] ?? '', 'base64url').toString());
    expect(claims.aud).toBe(desk.url);
    await expect(login(clientOf('spa', { resource: 'https://other.example.org' }))).rejects.toMatchObject({
      oauthError: 'invalid_target',
    });
  });

  it('works without openid, and then gets no ID token', async () => {
    const tokens = await login(clientOf('spa', { scope: 'create' }));
    expect(tokens).toMatchObject({ scope: 'create', accessToken: expect.any(String) });
    expect(tokens).not.toHaveProperty('claims');
  });

  it.each([[{ maxAgeSeconds: 60 }], [{ maxAgeSeconds: 0 }], [{ prompt: 'login' as const }]])(
    'gets a new login by %j, from somebody who is logged in',
    async (request) => {
      const client = clientOf('spa');
      const who = visitor();
      const before = await login(client, {}, who);
      desk.clock.now += 120_000;
      expect((await login(client, {}, who)).claims?.auth_time).toBe(before.claims?.auth_time);
      const after = await login(client, request, who);
      expect(Number(after.claims?.auth_time) - Number(before.claims?.auth_time)).toBeGreaterThanOrEqual(119);
    },
  );

  it('is not deceived by a browser that takes what was demanded of the login out of the address', async () => {
    const client = clientOf('spa');
    const who = visitor();
    await login(client, {}, who);
    desk.clock.now += 120_000;
    for (const [request, field] of [
      [{ prompt: 'login' }, 'auth_time'],
      [{ acrValues: ['aal2'] }, 'acr'],
    ] as const) {
      const { url, transaction } = await client.authorizationUrl(request);
      const stripped = new URL(url);
      for (const name of ['prompt', 'max_age', 'acr_values']) stripped.searchParams.delete(name);
      await expect(client.handleCallback(await who.authorize(stripped), transaction)).rejects.toMatchObject({ field });
    }
  });

  it('is told of a class that nobody can reach, of no login, and of a no', async () => {
    const client = clientOf('spa');
    const refusalOf = async (request: Request, decision: 'allow' | 'deny' = 'allow') => {
      const { url, transaction } = await client.authorizationUrl(request);
      const back = await visitor().authorize(url, { decision });
      return client
        .handleCallback(back, transaction)
        .catch(({ code, oauthError, field }) => ({ code, oauthError, field }));
    };
    expect(await refusalOf({ prompt: 'none' })).toMatchObject({ oauthError: 'login_required' });
    expect(await refusalOf({ prompt: 'consent' }, 'deny')).toMatchObject({ oauthError: 'access_denied' });
    expect(await refusalOf({ acrValues: ['aal9'] })).toMatchObject({ oauthError: 'unmet_authentication_requirements' });
    expect((await login(client, { acrValues: ['aal9', 'aal1'] })).claims?.acr).toBe('aal1');
  });

  it('hears no more after its credentials became wrong', async () => {
    const wrong = clientOf('web', { authentication: { method: 'client_secret_basic', secret: 'wrong' } });
    await expect(login(wrong)).rejects.toMatchObject({ code: 'OAUTH_REFUSED', oauthError: 'invalid_client' });
  });
});
