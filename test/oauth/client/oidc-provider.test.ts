import { createServer, type Server } from 'node:http';
import { createOAuthClient } from 'doorward/oauth/client';
import { Provider } from 'oidc-provider';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { visitor } from '../../contract/visitor.ts';
import { foreignKey, listen, stop } from '../../jwks/source.ts';

const redirectUri = 'http://localhost:3000/callback';
let server: Server;
let issuer = '';
beforeAll(async () => {
  server = createServer();
  issuer = await listen(server);
  const key = foreignKey('op');
  const client = {
    grant_types: ['authorization_code', 'refresh_token'],
    redirect_uris: [redirectUri],
    response_types: ['code'],
    id_token_signed_response_alg: 'ES256',
  };
  const provider = new Provider(issuer, {
    jwks: { keys: [{ ...key.sign?.export({ format: 'jwk' }), kid: 'op', alg: 'ES256', use: 'sig' }] },
    clients: [
      { ...client, client_id: 'public', token_endpoint_auth_method: 'none', application_type: 'native' },
      { ...client, client_id: 'web', client_secret: 'a:secret+with%special&signs', application_type: 'native' },
    ],
    scopes: ['openid', 'offline_access', 'email'],
    claims: { email: ['email'] },
    findAccount: (_: unknown, id: string) => ({
      accountId: id,
      claims: () => ({ sub: id, email: `${id}@example.org` }),
    }),
    features: { devInteractions: { enabled: true }, revocation: { enabled: true } },
    pkce: { required: () => true },
  });
  server.on('request', provider.callback());
});
afterAll(() => stop(server));

/** Goes through the provider's own pages for development. */
async function logIn(url: string): Promise<URL> {
  const somebody = visitor();
  let at = new URL(url);
  let page = await somebody.open(at);
  for (let steps = 0; steps < 12; steps += 1) {
    const location = page.headers.get('location');
    if (location !== null) {
      at = new URL(location, at);
      if (at.href.startsWith(redirectUri)) return at;
      page = await somebody.open(at);
    } else if (page.html.includes('name="login"')) page = await somebody.submit(page, { login: 'ada', password: 'x' });
    else page = await somebody.submit(page, {});
  }
  throw new Error('the provider did not come to an end');
}

describe.each([
  ['a public client', { clientId: 'public' }],
  [
    'a confidential client',
    {
      clientId: 'web',
      authentication: { method: 'client_secret_basic' as const, secret: 'a:secret+with%special&signs' },
    },
  ],
])('our client at oidc-provider: %s', (_, options) => {
  const clientOf = () => createOAuthClient({ ...options, issuer, redirectUri, scope: 'openid email offline_access' });

  it('logs in, asks who it is, refreshes and revokes', async () => {
    const client = clientOf();
    const { url, transaction } = await client.authorizationUrl({ prompt: 'consent', maxAgeSeconds: 600 });
    const tokens = await client.handleCallback(await logIn(url), JSON.parse(JSON.stringify(transaction)));
    expect(tokens.claims).toMatchObject({ sub: 'ada', iss: issuer, auth_time: expect.any(Number) });
    expect(tokens.expiresAt).toBeGreaterThan(Date.now());
    expect(await client.userInfo(tokens.accessToken, 'ada')).toMatchObject({ email: 'ada@example.org' });
    const [refreshed, same] = await Promise.all([
      client.refresh(tokens.refreshToken ?? '', 'ada'),
      client.refresh(tokens.refreshToken ?? '', 'ada'),
    ]);
    expect(refreshed.accessToken).toBe(same.accessToken);
    await client.revoke(refreshed.accessToken);
    await expect(client.userInfo(refreshed.accessToken, 'ada')).rejects.toThrow();
    client.close();
  });

  it('is told when the code has been used', async () => {
    const client = clientOf();
    const { url, transaction } = await client.authorizationUrl();
    const back = await logIn(url);
    await client.handleCallback(back, transaction);
    await expect(client.handleCallback(back, transaction)).rejects.toMatchObject({
      code: 'OAUTH_REFUSED',
      oauthError: 'invalid_grant',
    });
    client.close();
  });
});
