import { createSecretKey, generateKeyPairSync } from 'node:crypto';
import {
  createTokenIssuer,
  createTokenVerifier,
  privateKey,
  publicKey,
  secretKey,
  type TokenKey,
} from 'doorward/tokens';
import { describe, expect, it } from 'vitest';
import { clock, hs256, keys, rsa, SECRET } from './forge.ts';
import { refusedField } from './refused-field.ts';

describe('a verifier', () => {
  it.each([
    ['issuer', { issuer: undefined }],
    ['issuer', { issuer: '' }],
    ['issuer', { issuer: null }],
    ['issuer', { issuer: /a/g }],
    ['issuer', { issuer: ['a'] }],
    ['audience', { audience: undefined }],
    ['audience', { audience: '' }],
    ['audience', { audience: [] }],
    ['audience', { audience: ['api', ''] }],
    ['audience', { audience: [/api/] }],
    ['types', { types: [] }],
    ['types', { types: undefined }],
    ['types', { types: ['JWT', ''] }],
    ['types', { types: ['a b'] }],
    ['toleranceSeconds', { toleranceSeconds: Number.POSITIVE_INFINITY }],
    ['toleranceSeconds', { toleranceSeconds: Number.NaN }],
    ['toleranceSeconds', { toleranceSeconds: -1 }],
    ['toleranceSeconds', { toleranceSeconds: 61 }],
    ['toleranceSeconds', { toleranceSeconds: '5' }],
    ['maxLifetimeSeconds', { maxLifetimeSeconds: 0 }],
    ['maxLifetimeSeconds', { maxLifetimeSeconds: Number.POSITIVE_INFINITY }],
    ['maxLifetimeSeconds', { maxLifetimeSeconds: Number.NaN }],
    ['clock', { clock: 5 }],
    ['keys', { keys: [] }],
    ['keys', { keys: undefined }],
    ['keys', { keys: hs256 }],
    ['key', { keys: [undefined] }],
    ['key', { keys: [SECRET] }],
    ['algorithms', { algorithms: [] }],
    ['algorithms', { algorithms: ['none'] }],
    ['clockTolerance', { clockTolerance: Number.POSITIVE_INFINITY }],
    ['audiance', { audiance: 'api' }],
  ])('JWT-20 JWT-34 is not built with a bad %s: %o', (field, options) => {
    expect(refusedField(() => createTokenVerifier({ keys: [hs256], ...options } as never))).toBe(field);
  });

  it('JWT-20 is not built with keys that were put together by hand and are weak', () => {
    const small = generateKeyPairSync('rsa', { modulusLength: 1_024 });
    const handmade: readonly unknown[] = [
      { alg: 'RS256', verify: small.publicKey },
      { alg: 'HS256', verify: rsa.publicKey },
      { alg: 'RS256', verify: hs256.verify },
      { alg: 'RS256', verify: rsa.privateKey },
      { alg: 'ES256', verify: rsa.publicKey },
      { alg: 'none', verify: hs256.verify },
      { alg: 'HS256', verify: SECRET },
      { alg: 'HS256', verify: createSecretKey(SECRET.slice(0, 31), 'utf8') },
      { alg: 'RS256', verify: rsa.publicKey, sign: rsa.publicKey },
    ];
    for (const key of handmade)
      expect(refusedField(() => createTokenVerifier({ keys: [key as TokenKey] }))).toBe('key');
  });

  it('KEY-04 is not built with two keys of one kid, or two without', () => {
    const a = secretKey(`${SECRET}a`, { kid: 'k' });
    const b = secretKey(`${SECRET}b`, { kid: 'k' });
    expect(refusedField(() => createTokenVerifier({ keys: [a, b] }))).toBe('keys');
    expect(refusedField(() => createTokenVerifier({ keys: [hs256, keys.RS256] }))).toBe('keys');
  });

  it('KEY-06 is not built with one key under two algorithms', () => {
    const rs256 = publicKey(rsa.publicKey, { kid: 'a' });
    const ps256 = publicKey(rsa.publicKey, { kid: 'b', alg: 'PS256' });
    expect(refusedField(() => createTokenVerifier({ keys: [rs256, ps256] }))).toBe('keys');
    expect(refusedField(() => createTokenVerifier({ keys: [rs256, publicKey(rsa.publicKey, { kid: 'c' })] }))).toBe(
      undefined,
    );
  });
});

describe('the options', () => {
  it('are copied: changing them later changes nothing', () => {
    const audience = ['api'];
    const types = ['JWT'];
    const ring = [hs256];
    const verifier = createTokenVerifier({ keys: ring, audience, types, clock });
    const issuer = createTokenIssuer({ key: hs256, audience, clock });
    audience[0] = 'other';
    types[0] = 'at+jwt';
    ring.pop();
    expect(verifier.verify(issuer.issue({ sub: 'ada' })).ok).toBe(true);
  });
});

describe('an issuer', () => {
  it.each([
    ['issuer', { issuer: undefined }],
    ['issuer', { issuer: '' }],
    ['audience', { audience: '' }],
    ['audience', { audience: [] }],
    ['typ', { typ: '' }],
    ['typ', { typ: 'a b' }],
    ['ttlSeconds', { ttlSeconds: 0 }],
    ['ttlSeconds', { ttlSeconds: 1.5 }],
    ['ttlSeconds', { ttlSeconds: Number.POSITIVE_INFINITY }],
    ['ttlSeconds', { ttlSeconds: '30m' }],
    ['clock', { clock: null }],
    ['key', { key: undefined }],
    ['key', { key: SECRET }],
    ['expiresIn', { expiresIn: '30m' }],
  ])('JWT-20 is not built with a bad %s: %o', (field, options) => {
    expect(refusedField(() => createTokenIssuer({ key: hs256, ...options } as never))).toBe(field);
  });

  it('is not built with a key that can only verify', () => {
    expect(refusedField(() => createTokenIssuer({ key: publicKey(rsa.publicKey) }))).toBe('key');
    expect(refusedField(() => createTokenIssuer({ key: privateKey(rsa.privateKey) }))).toBe(undefined);
  });
});
