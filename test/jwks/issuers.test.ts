import type { KeyObject } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { createRemoteTokenVerifier } from 'doorward/jwks';
import { createTokenIssuer, publicJwks } from 'doorward/tokens';
import { createRemoteJWKSet, jwtVerify, SignJWT } from 'jose';
import { OAuth2Server } from 'oauth2-mock-server';
import { Provider } from 'oidc-provider';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AUDIENCE, foreignKey, json, jwksOf, listen, startSource, stop } from './source.ts';

describe('oauth2-mock-server', () => {
  const server = new OAuth2Server();
  beforeAll(async () => {
    await server.issuer.keys.generate('RS256', { kid: 'rsa' });
    await server.issuer.keys.generate('ES256', { kid: 'ec' });
    await server.start(0, '127.0.0.1');
  });
  afterAll(() => server.stop());

  const issuer = () => server.issuer.url ?? '';
  const token = (kid: string, changes: object = {}) =>
    server.issuer.buildToken({
      kid,
      scopesOrTransform: (_, payload) => void Object.assign(payload, { sub: 'ada', aud: AUDIENCE }, changes),
    });

  it('issues tokens that we accept by RS256 and ES256, and refuse for others', async () => {
    const verifier = createRemoteTokenVerifier({ issuer: issuer(), audience: AUDIENCE, types: ['JWT'] });
    for (const kid of ['rsa', 'ec']) {
      expect(await verifier.verify(await token(kid))).toMatchObject({ ok: true, claims: { sub: 'ada' } });
    }
    expect(await verifier.verify(await token('rsa', { aud: 'other' }))).toEqual({ ok: false, reason: 'audience' });
    expect(await verifier.verify(await token('rsa', { iss: 'other' }))).toEqual({ ok: false, reason: 'issuer' });
    expect(await verifier.verify(await token('rsa', { sub: undefined }))).toEqual({ ok: false, reason: 'claims' });
    expect(await verifier.verify(await token('rsa', { exp: 1 }))).toEqual({ ok: false, reason: 'expired' });
    verifier.close();
  });

  it('may take a new key while we run', async () => {
    let time = 0;
    const options = { issuer: issuer(), audience: AUDIENCE, types: ['JWT'], monotonicClock: () => time };
    const verifier = createRemoteTokenVerifier(options);
    await verifier.load();
    await server.issuer.keys.generate('PS256', { kid: 'new' });
    const newer = await token('new');
    expect(await verifier.verify(newer)).toEqual({ ok: false, reason: 'unknown_key' });
    time += 30_000;
    expect(await verifier.verify(newer)).toMatchObject({ ok: true });
    verifier.close();
  });
});

describe('oidc-provider', () => {
  let server: Server;
  let issuer = '';
  beforeAll(async () => {
    server = createServer();
    issuer = await listen(server);
    const key = (kid: string, alg: string) => ({
      ...foreignKey(kid).sign?.export({ format: 'jwk' }),
      kid,
      alg,
      use: 'sig',
    });
    const provider = new Provider(issuer, {
      jwks: { keys: [key('op', 'ES256')] },
      clients: [
        {
          client_id: 'c',
          client_secret: 's',
          grant_types: ['client_credentials'],
          redirect_uris: [],
          response_types: [],
          id_token_signed_response_alg: 'ES256',
        },
      ],
      features: {
        devInteractions: { enabled: false },
        clientCredentials: { enabled: true },
        resourceIndicators: {
          enabled: true,
          getResourceServerInfo: () => ({ scope: 'read', accessTokenFormat: 'jwt', jwt: { sign: { alg: 'ES256' } } }),
        },
      },
    });
    server.on('request', provider.callback());
  });
  afterAll(() => stop(server));

  it('issues an access token (RFC 9068) that we accept, for its resource only', async () => {
    const answer = await fetch(`${issuer}/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from('c:s').toString('base64')}` },
      body: new URLSearchParams({ grant_type: 'client_credentials', resource: AUDIENCE, scope: 'read' }),
    });
    expect(answer.status, await answer.clone().text()).toBe(200);
    const { access_token: token } = (await answer.json()) as { access_token: string };
    const verifier = createRemoteTokenVerifier({ issuer, audience: AUDIENCE });
    expect(await verifier.verify(token)).toMatchObject({ ok: true, claims: { client_id: 'c', scope: 'read' } });
    const other = createRemoteTokenVerifier({ issuer, audience: 'https://other.example.org' });
    expect(await other.verify(token)).toEqual({ ok: false, reason: 'audience' });
    for (const made of [verifier, other]) made.close();
  });
});

describe('our own keys', () => {
  it('are found by jose at the address where they are published', async () => {
    const key = foreignKey('ours');
    const server = createServer(json(publicJwks([key, foreignKey('next')])));
    const origin = await listen(server);
    const token = createTokenIssuer({ key, issuer: origin, audience: AUDIENCE, typ: 'at+jwt' }).issue({ sub: 'ada' });
    const options = { issuer: origin, audience: AUDIENCE, typ: 'at+jwt' };
    const { payload } = await jwtVerify(token, createRemoteJWKSet(new URL(`${origin}/jwks`)), options);
    expect(payload.sub).toBe('ada');
    await stop(server);
  });
});

describe('an issuer that writes no type, as Okta and Cognito', () => {
  it('is accepted where that is meant, and nothing but a missing type is', async () => {
    const source = await startSource(json(jwksOf('untyped')));
    const now = Math.floor(Date.now() / 1_000);
    const signed = (header: object, claims: object = {}) =>
      new SignJWT({ ...claims })
        .setProtectedHeader({ alg: 'ES256', kid: 'untyped', ...header })
        .setIssuer(source.origin)
        .setAudience(AUDIENCE)
        .setSubject('ada')
        .setIssuedAt(now)
        .setExpirationTime(now + 60)
        .sign(foreignKey('untyped').sign as KeyObject);
    const options = { issuer: source.origin, audience: AUDIENCE };
    const strict = createRemoteTokenVerifier(options);
    const lenient = createRemoteTokenVerifier({ ...options, allowUntyped: true });
    expect(await strict.verify(await signed({}))).toEqual({ ok: false, reason: 'type' });
    expect(await lenient.verify(await signed({}))).toMatchObject({ ok: true });
    expect(await lenient.verify(await signed({}, { at_hash: 'x' }))).toEqual({ ok: false, reason: 'type' });
    for (const typ of ['JWT', '', null, 5]) {
      expect(await lenient.verify(await signed({ typ }))).toEqual({ ok: false, reason: 'type' });
    }
    for (const allowUntyped of [undefined, 1, 'true']) {
      const wrong = { ...options, allowUntyped: allowUntyped as never };
      expect(() => createRemoteTokenVerifier(wrong)).toThrow(/allowUntyped/);
    }
    strict.close();
    lenient.close();
    await source.close();
  });
});
