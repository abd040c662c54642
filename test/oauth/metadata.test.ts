import { generateKeyPairSync } from 'node:crypto';
import { createRouter, type Handler } from 'doorward/http';
import { createKeyring, jwkThumbprint, privateKey, type SigningKeySet, type TokenKey } from 'doorward/tokens';
import { describe, expect, it } from 'vitest';
import { endpointUrls } from '../../src/oauth/endpoints.ts';
import { metadataRoutes } from '../../src/oauth/metadata/metadata.ts';
import type { Settings } from '../../src/oauth/settings.ts';

const INFO = { requestId: 'r-1' };
const API = 'https://api.example.org';
const rsa = privateKey(generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey, { kid: 'rsa-1' });
const ec = privateKey(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey, { kid: 'ec-1' });
const only = (key: TokenKey): SigningKeySet => ({ keys: [key], active: key });

interface Changes {
  readonly issuer?: string;
  readonly keys?: SigningKeySet;
  readonly resources?: readonly string[];
}

/** Only what the documents are made of. */
function serverOf({ issuer = 'https://login.example.org', keys = only(rsa), resources = [API] }: Changes = {}) {
  const names = ['openid', 'profile', 'email', 'offline_access', 'create'];
  const scopes = Object.fromEntries(names.map((name) => [name, 'What it means']));
  const settings = { issuer, urls: endpointUrls(issuer), keys, scopes, resources } as unknown as Settings;
  const handler: Handler = createRouter(metadataRoutes(settings));
  return async (path: string, method = 'GET') => {
    const response = await handler(new Request(`https://login.example.org${path}`, { method }), INFO);
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) };
  };
}

const OAUTH = '/.well-known/oauth-authorization-server';
const OPENID = '/.well-known/openid-configuration';

describe('the metadata', () => {
  it('says what the server can do, and nothing else', async () => {
    const ask = serverOf();
    const methods = ['none', 'client_secret_basic', 'client_secret_post', 'private_key_jwt', 'tls_client_auth'];
    const algorithms = ['ES256', 'RS256', 'PS256'];
    const expected = {
      issuer: 'https://login.example.org',
      authorization_endpoint: 'https://login.example.org/authorize',
      token_endpoint: 'https://login.example.org/oauth/token',
      introspection_endpoint: 'https://login.example.org/oauth/introspect',
      revocation_endpoint: 'https://login.example.org/oauth/revoke',
      userinfo_endpoint: 'https://login.example.org/oauth/userinfo',
      jwks_uri: 'https://login.example.org/jwks',
      scopes_supported: ['openid', 'profile', 'email', 'offline_access', 'create'],
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      grant_types_supported: ['authorization_code', 'refresh_token', 'client_credentials'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: methods,
      token_endpoint_auth_signing_alg_values_supported: algorithms,
      introspection_endpoint_auth_methods_supported: methods.slice(1),
      introspection_endpoint_auth_signing_alg_values_supported: algorithms,
      revocation_endpoint_auth_methods_supported: methods,
      revocation_endpoint_auth_signing_alg_values_supported: algorithms,
      authorization_response_iss_parameter_supported: true,
      tls_client_certificate_bound_access_tokens: true,
      dpop_signing_alg_values_supported: ['ES256', 'RS256', 'PS256'],
      protected_resources: [API],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
      claims_supported: [
        ...['iss', 'sub', 'aud', 'exp', 'iat', 'auth_time', 'nonce', 'acr', 'amr', 'at_hash', 'sid'],
        ...['preferred_username', 'email', 'email_verified'],
      ],
      acr_values_supported: ['aal1', 'aal2'],
      prompt_values_supported: ['none', 'login', 'consent', 'select_account'],
      claims_parameter_supported: false,
      request_parameter_supported: false,
      request_uri_parameter_supported: false,
    };
    for (const path of [OAUTH, OPENID]) {
      const { status, headers, body } = await ask(path);
      expect([status, headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
      expect(headers.get('cache-control')).toBe('public, max-age=300');
      expect(body).toEqual(expected);
    }
  });

  it('of an issuer with a path stands before the path, and for OpenID Connect behind it too', async () => {
    const issuer = 'https://login.example.org/tenants/one';
    const ask = serverOf({ issuer });
    for (const path of [`${OAUTH}/tenants/one`, `/tenants/one${OPENID}`, `${OPENID}/tenants/one`]) {
      const { body } = await ask(path);
      expect([body.issuer, body.jwks_uri]).toEqual([issuer, `${issuer}/jwks`]);
    }
    for (const path of [OAUTH, OPENID, `/tenants/one${OAUTH}`, '/jwks']) expect((await ask(path)).status).toBe(404);
    expect((await ask('/tenants/one/jwks')).status).toBe(200);
  });

  it('of a server that does not sign with RS256 claims no OpenID Connect', async () => {
    const ask = serverOf({ keys: only(ec) });
    expect((await ask(OPENID)).status).toBe(404);
    const { body } = await ask(OAUTH);
    expect(body.scopes_supported).toEqual(['offline_access', 'create']);
    for (const name of ['id_token_signing_alg_values_supported', 'userinfo_endpoint', 'subject_types_supported']) {
      expect(body).not.toHaveProperty(name);
    }
  });

  it('follows the keys', async () => {
    const keys = createKeyring({ keys: [{ key: ec, state: 'active' }] });
    const ask = serverOf({ keys });
    const kids = async () => (await ask('/jwks')).body.keys.map(({ kid }: { kid: string }) => kid);
    expect(await kids()).toEqual(['ec-1']);
    keys.announce(rsa);
    expect((await kids()).toSorted()).toEqual(['ec-1', 'rsa-1']);
    expect((await ask(OPENID)).status).toBe(404);
    keys.promote('rsa-1');
    expect((await ask(OPENID)).status).toBe(200);
    keys.remove('ec-1');
    expect(await kids()).toEqual(['rsa-1']);
  });

  it('names no resource that has no address', async () => {
    const { body } = await serverOf({ resources: ['urn:example:api', API] })(OAUTH);
    expect(body.protected_resources).toEqual([API]);
  });
});

describe('the public keys', () => {
  it('hold no private member and no secret', async () => {
    const unnamed = privateKey(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey);
    const { status, headers, body } = await serverOf({ keys: { keys: [rsa, unnamed], active: rsa } })('/jwks');
    expect([status, headers.get('cache-control')]).toEqual([200, 'public, max-age=300']);
    const [first, second] = body.keys;
    expect(Object.keys(first).toSorted()).toEqual(['alg', 'e', 'kid', 'kty', 'n', 'use']);
    expect(Object.keys(second).toSorted()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y']);
    expect(second.kid).toBe(jwkThumbprint(unnamed));
  });
});

describe('a script of another origin', () => {
  it.each([OAUTH, OPENID, '/jwks'])('HTTP-20 reads %s without credentials', async (path) => {
    const ask = serverOf();
    const preflight = await ask(path, 'OPTIONS');
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-methods')).toBe('GET');
    expect(preflight.headers.get('access-control-allow-headers')).toBe('authorization, content-type, dpop');
    expect(preflight.headers.get('access-control-max-age')).toBe('7200');
    for (const { headers } of [preflight, await ask(path), await ask(path, 'HEAD')]) {
      expect(headers.get('access-control-allow-origin')).toBe('*');
      expect(headers.has('access-control-allow-credentials')).toBe(false);
    }
  });

  it('HTTP-20 sees also that there is none', async () => {
    const { status, headers } = await serverOf({ keys: only(ec) })(OPENID);
    expect([status, headers.get('access-control-allow-origin')]).toEqual([404, '*']);
  });
});
