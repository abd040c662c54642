import { createPublicKey } from 'node:crypto';
import { expressjwt } from 'express-jwt';
import { createVerifier } from 'fast-jwt';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import jwksRsa from 'jwks-rsa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Desk, openDesk } from './oauth-desk.ts';

let desk: Desk;
let accessToken = '';
let idToken = '';
beforeAll(async () => {
  desk = await openDesk();
  const { body } = await desk.grant();
  accessToken = body.access_token;
  idToken = body.id_token;
});
afterAll(() => desk.close());

describe('verifiers of others, by our JWKS', () => {
  it('jose', async () => {
    const keys = createRemoteJWKSet(new URL('/jwks', desk.url));
    const access = await jwtVerify(accessToken, keys, { issuer: desk.url, audience: desk.url, typ: 'at+jwt' });
    expect(access.payload.client_id).toBe('spa');
    const id = await jwtVerify(idToken, keys, { issuer: desk.url, audience: 'spa', typ: 'JWT' });
    expect(id.payload.sub).toBe('viewer');
    await expect(jwtVerify(idToken, keys, { issuer: desk.url, audience: desk.url })).rejects.toThrow();
  });

  it('express-jwt with jwks-rsa', async () => {
    const guard = expressjwt({
      secret: jwksRsa.expressJwtSecret({ jwksUri: `${desk.url}/jwks` }),
      algorithms: ['RS256'],
      issuer: desk.url,
      audience: desk.url,
    });
    const judge = (token: string) =>
      new Promise<{ auth?: { sub?: string } }>((resolve, reject) => {
        // Express is not installed: its request is what the guard reads of it.
        type Guarded = Parameters<typeof guard>;
        const request: { readonly headers: object; readonly method: string; auth?: { sub?: string } } = {
          method: 'GET',
          headers: { authorization: `Bearer ${token}` },
        };
        const next = (error?: unknown): void => (error ? reject(error) : resolve(request));
        void guard(request as unknown as Guarded[0], {} as Guarded[1], next);
      });
    expect((await judge(accessToken)).auth?.sub).toBe('viewer');
    await expect(judge(`${accessToken.slice(0, -4)}AAAA`)).rejects.toThrow('invalid');
  });

  it('fast-jwt', async () => {
    const { body } = await desk.fetch('/jwks');
    const [jwk] = body.keys;
    const key = createPublicKey({ key: jwk, format: 'jwk' }).export({ type: 'spki', format: 'pem' }).toString();
    const verify = createVerifier({ key, algorithms: ['RS256'], allowedIss: desk.url, allowedAud: desk.url });
    expect(verify(accessToken)).toMatchObject({ sub: 'viewer', scope: 'openid profile email' });
    expect(() => verify(`${accessToken.slice(0, -4)}AAAA`)).toThrow();
  });
});
