import * as oauth from 'oauth4webapi';
import * as client from 'openid-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Desk, openDesk, SECRET_OF_WEB, signedKey } from './oauth-desk.ts';
import { visitor } from './visitor.ts';

const REDIRECT = 'http://localhost:3000/callback';
const SCOPES = 'openid profile email create';
let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
});
afterAll(() => desk.close());

const privateKey = () =>
  crypto.subtle.importKey(
    'pkcs8',
    signedKey.privateKey.export({ type: 'pkcs8', format: 'der' }),
    { name: 'ECDSA', namedCurve: 'P-256' },
    false,
    ['sign'],
  );

describe.each(['oidc', 'oauth2'] as const)('openid-client, %s', (algorithm) => {
  const discover = (id: string, authentication: client.ClientAuth, metadata?: Partial<client.ClientMetadata>) =>
    client.discovery(new URL(desk.url), id, metadata, authentication, {
      algorithm,
      execute: [client.allowInsecureRequests, client.enableNonRepudiationChecks],
    });

  /** The flow in a browser, and the tokens that come of it. */
  async function login(config: client.Configuration, scope: string, options?: client.DPoPOptions) {
    const codeVerifier = client.randomPKCECodeVerifier();
    const [state, nonce] = [client.randomState(), client.randomNonce()];
    const isOidc = scope.includes('openid');
    const url = client.buildAuthorizationUrl(config, {
      redirect_uri: REDIRECT,
      scope,
      state,
      code_challenge: await client.calculatePKCECodeChallenge(codeVerifier),
      code_challenge_method: 'S256',
      ...(isOidc && { nonce }),
    });
    const callback = await visitor().authorize(url, { username: 'editor' });
    const checks = { pkceCodeVerifier: codeVerifier, expectedState: state };
    return client.authorizationCodeGrant(
      config,
      callback,
      isOidc ? { ...checks, expectedNonce: nonce, idTokenExpected: true } : checks,
      undefined,
      options,
    );
  }

  it('a public client: discovery, code with PKCE, userinfo, refresh, revocation', async () => {
    const config = await discover('spa', client.None());
    const tokens = await login(config, SCOPES);
    expect(tokens).toMatchObject({ token_type: 'bearer', expires_in: 3_600, scope: SCOPES });
    const claims = tokens.claims();
    expect(claims).toMatchObject({ sub: 'editor', acr: 'aal1', amr: ['pwd'] });
    const user = await client.fetchUserInfo(config, tokens.access_token, claims?.sub ?? '');
    expect(user).toMatchObject({ sub: 'editor', preferred_username: 'editor', email: 'editor@example.org' });
    const refreshed = await client.refreshTokenGrant(config, tokens.refresh_token ?? '');
    expect(refreshed.claims()?.auth_time).toBe(claims?.auth_time);
    expect(refreshed.refresh_token).not.toBe(tokens.refresh_token);
    await client.tokenRevocation(config, refreshed.refresh_token ?? '');
    await expect(client.refreshTokenGrant(config, refreshed.refresh_token ?? '')).rejects.toMatchObject({
      error: 'invalid_grant',
    });
    await expect(client.fetchUserInfo(config, refreshed.access_token, 'editor')).rejects.toThrow();
  });

  it('a public client without openid: plain OAuth', async () => {
    const config = await discover('spa', client.None());
    const tokens = await login(config, 'create');
    expect(tokens.id_token).toBeUndefined();
    expect(tokens.scope).toBe('create');
  });

  it('a confidential client: basic, introspection, client_credentials', async () => {
    const config = await discover('web', client.ClientSecretBasic(SECRET_OF_WEB));
    const tokens = await login(config, SCOPES);
    const active = await client.tokenIntrospection(config, tokens.access_token);
    expect(active).toMatchObject({ active: true, client_id: 'web', scope: SCOPES, username: 'editor' });
    const machine = await client.clientCredentialsGrant(config, { scope: 'create' });
    expect(machine).toMatchObject({ scope: 'create', expires_in: 3_600 });
    expect(await client.tokenIntrospection(config, machine.access_token)).toMatchObject({
      active: true,
      sub: 'client:web',
    });
    await client.tokenRevocation(config, machine.access_token);
    expect(await client.tokenIntrospection(config, machine.access_token)).toEqual({ active: false });
  });

  it('private_key_jwt', async () => {
    const config = await discover('signed', client.PrivateKeyJwt({ key: await privateKey(), kid: 'k1' }));
    const tokens = await login(config, SCOPES);
    expect(tokens.claims()?.aud).toBe('signed');
    expect(await client.refreshTokenGrant(config, tokens.refresh_token ?? '')).toHaveProperty('access_token');
    expect(await client.clientCredentialsGrant(config)).toHaveProperty('access_token');
  });

  it('DPoP', async () => {
    const config = await discover('bound', client.None());
    const DPoP = client.getDPoPHandle(config, await client.randomDPoPKeyPair());
    const tokens = await login(config, 'openid create', { DPoP });
    expect(tokens.token_type).toBe('dpop');
    const user = await client.fetchUserInfo(config, tokens.access_token, 'editor', { DPoP });
    expect(user.sub).toBe('editor');
    const refreshed = await client.refreshTokenGrant(config, tokens.refresh_token ?? '', undefined, { DPoP });
    const answer = await client.fetchProtectedResource(
      config,
      refreshed.access_token,
      new URL('/api/posts', desk.url),
      'POST',
      '{}',
      new Headers({ 'content-type': 'application/json' }),
      { DPoP },
    );
    expect(answer.status).toBe(200);
    const other = client.getDPoPHandle(config, await client.randomDPoPKeyPair());
    await expect(
      client.refreshTokenGrant(config, refreshed.refresh_token ?? '', undefined, { DPoP: other }),
    ).rejects.toThrow();
  });
});

describe.each(['oidc', 'oauth2'] as const)('oauth4webapi, %s', (algorithm) => {
  const insecure = { [oauth.allowInsecureRequests]: true };

  async function discover(): Promise<oauth.AuthorizationServer> {
    const issuer = new URL(desk.url);
    return oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, { algorithm, ...insecure }));
  }

  async function login(
    as: oauth.AuthorizationServer,
    who: oauth.Client,
    auth: oauth.ClientAuth,
    scope: string,
    DPoP?: oauth.DPoPHandle,
  ) {
    const verifier = oauth.generateRandomCodeVerifier();
    const [state, nonce] = [oauth.generateRandomState(), oauth.generateRandomNonce()];
    const url = new URL(as.authorization_endpoint ?? '');
    const query = {
      client_id: who.client_id,
      redirect_uri: REDIRECT,
      response_type: 'code',
      scope,
      state,
      nonce,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    };
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    const params = oauth.validateAuthResponse(as, who, await visitor().authorize(url, { username: 'editor' }), state);
    const options = { ...insecure, ...(DPoP && { DPoP }) };
    const response = await oauth.authorizationCodeGrantRequest(as, who, auth, params, REDIRECT, verifier, options);
    expect(response.status, await response.clone().text()).toBe(200);
    expect(response.headers.get('cache-control')).toBe('no-store');
    const isOidc = scope.includes('openid');
    const tokens = await oauth.processAuthorizationCodeResponse(
      as,
      who,
      response,
      isOidc ? { expectedNonce: nonce, requireIdToken: true } : {},
    );
    if (isOidc) await oauth.validateApplicationLevelSignature(as, response, insecure);
    return tokens;
  }

  it('a public client: discovery, code with PKCE, userinfo, refresh, revocation', async () => {
    const as = await discover();
    const who = { client_id: 'spa' };
    const tokens = await login(as, who, oauth.None(), SCOPES);
    const claims = oauth.getValidatedIdTokenClaims(tokens);
    const answer = await oauth.userInfoRequest(as, who, tokens.access_token, insecure);
    expect(await oauth.processUserInfoResponse(as, who, claims?.sub ?? '', answer)).toMatchObject({ sub: 'editor' });
    const refreshing = await oauth.refreshTokenGrantRequest(
      as,
      who,
      oauth.None(),
      tokens.refresh_token ?? '',
      insecure,
    );
    const refreshed = await oauth.processRefreshTokenResponse(as, who, refreshing);
    const revoking = await oauth.revocationRequest(as, who, oauth.None(), refreshed.refresh_token ?? '', insecure);
    expect(revoking.status).toBe(200);
    await oauth.processRevocationResponse(revoking);
  });

  it('a confidential client: basic, introspection, client_credentials', async () => {
    const as = await discover();
    const [who, auth] = [{ client_id: 'web' }, oauth.ClientSecretBasic(SECRET_OF_WEB)];
    const tokens = await login(as, who, auth, 'create');
    const asking = await oauth.introspectionRequest(as, who, auth, tokens.access_token, insecure);
    expect(await oauth.processIntrospectionResponse(as, who, asking)).toMatchObject({ active: true, scope: 'create' });
    const machine = await oauth.clientCredentialsGrantRequest(as, who, auth, { scope: 'create' }, insecure);
    expect(await oauth.processClientCredentialsResponse(as, who, machine)).toMatchObject({ scope: 'create' });
  });

  it('client_secret_post and private_key_jwt', async () => {
    const as = await discover();
    await login(as, { client_id: 'poster' }, oauth.ClientSecretPost(SECRET_OF_WEB), 'openid create');
    await login(as, { client_id: 'signed' }, oauth.PrivateKeyJwt({ key: await privateKey(), kid: 'k1' }), SCOPES);
  });

  it('DPoP, and validateJwtAccessToken accepts our access tokens, bound or not', async () => {
    const as = await discover();
    const request = (headers: Record<string, string>) => new Request(`${desk.url}/api/posts`, { headers });
    const plain = await login(as, { client_id: 'spa' }, oauth.None(), 'create');
    const bearer = request({ authorization: `Bearer ${plain.access_token}` });
    expect(await oauth.validateJwtAccessToken(as, bearer, desk.url, insecure)).toMatchObject({
      client_id: 'spa',
      sub: 'editor',
      scope: 'create',
    });
    const who = { client_id: 'bound' };
    const keys = await oauth.generateKeyPair('ES256');
    const DPoP = oauth.DPoP({}, keys);
    const bound = await login(as, who, oauth.None(), 'openid create', DPoP);
    const answer = await oauth.protectedResourceRequest(
      bound.access_token,
      'GET',
      new URL('/api/posts', desk.url),
      undefined,
      undefined,
      { ...insecure, DPoP },
    );
    expect(answer.status).toBe(200);
    let seen: Request | undefined;
    await oauth
      .protectedResourceRequest(bound.access_token, 'GET', new URL('/api/posts', desk.url), undefined, undefined, {
        ...insecure,
        DPoP,
        [oauth.customFetch]: async (url, init) => {
          seen = new Request(url, init as RequestInit);
          return new Response('', { status: 200 });
        },
      })
      .catch(() => undefined);
    const claims = await oauth.validateJwtAccessToken(as, seen ?? bearer, desk.url, { ...insecure, requireDPoP: true });
    expect(claims.cnf).toMatchObject({ jkt: expect.any(String) });
  });
});
