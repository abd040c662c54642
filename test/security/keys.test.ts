import { generateKeyPairSync, randomBytes } from 'node:crypto';
import {
  createKeyring,
  createTokenIssuer,
  createTokenVerifier,
  deriveSecret,
  jwkThumbprint,
  privateKey,
  publicJwks,
  publicKey,
  secretKey,
} from 'doorward/tokens';
import { createLocalJWKSet, jwtVerify } from 'jose';
import { describe, expect, it } from 'vitest';
import { ec, forge, goodClaims, hs256, keys, rsa, SECRET } from '../tokens/forge.ts';
import { refusedField } from '../tokens/refused-field.ts';

const SHOWN = ['alg', 'crv', 'e', 'kid', 'kty', 'n', 'use', 'x', 'y'];

describe('the keys that we publish', () => {
  const ring = createKeyring({
    keys: [
      { key: privateKey(rsa.privateKey, { kid: 'rsa' }), state: 'active' },
      { key: privateKey(ec.privateKey, { kid: 'ec' }), state: 'next' },
      { key: secretKey(SECRET, { kid: 'hs' }), state: 'retired' },
    ],
  });

  it('are public parts only: no secret, no private member', () => {
    const { keys: jwks } = publicJwks(ring);
    expect(jwks.map(({ kid, kty, use, alg }) => [kid, kty, use, alg])).toEqual([
      ['rsa', 'RSA', 'sig', 'RS256'],
      ['ec', 'EC', 'sig', 'ES256'],
    ]);
    for (const jwk of jwks) expect(Object.keys(jwk).filter((name) => !SHOWN.includes(name))).toEqual([]);
    const { d = '', p = '' } = rsa.privateKey.export({ format: 'jwk' });
    const text = JSON.stringify(jwks);
    for (const part of [d, p, SECRET, Buffer.from(SECRET).toString('base64url')]) expect(text).not.toContain(part);
  });

  it('are listed before the first use and until the last token has ended', () => {
    let now = Date.now();
    const older = privateKey(ec.privateKey, { kid: 'older' });
    const keyring = createKeyring({
      keys: [{ key: older, state: 'active' }],
      maxLifetimeSeconds: 60,
      clock: () => now,
    });
    const listed = () => publicJwks(keyring).keys.map(({ kid }) => kid);
    keyring.announce(privateKey(rsa.privateKey, { kid: 'newer' }));
    expect(listed()).toEqual(['older', 'newer']);
    keyring.promote('newer');
    expect(listed()).toEqual(['older', 'newer']);
    now += 119_999;
    expect(listed()).toEqual(['older', 'newer']);
    now += 1;
    expect(listed()).toEqual(['newer']);
  });

  it.each(['RS256', 'PS256', 'ES256'] as const)(
    'let jose verify our %s tokens, with and without a kid',
    async (alg) => {
      for (const options of [{ alg }, { alg, kid: 'k' }]) {
        const key = privateKey(alg === 'ES256' ? ec.privateKey : rsa.privateKey, options);
        const token = createTokenIssuer({ key, issuer: 'https://a.example', audience: 'api' }).issue({ sub: 'ada' });
        const jwks = createLocalJWKSet(JSON.parse(JSON.stringify(publicJwks([key]))));
        const { payload } = await jwtVerify(token, jwks, { issuer: 'https://a.example', audience: 'api' });
        expect(payload.sub).toBe('ada');
      }
    },
  );

  it('have the thumbprint of RFC 7638 where they have no kid', () => {
    const vector = {
      n: '0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw',
      e: 'AQAB',
      kty: 'RSA',
    };
    expect(jwkThumbprint(publicKey(vector))).toBe('NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs');
    expect(publicJwks([publicKey(vector)]).keys[0]?.kid).toBe('NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs');
    expect(jwkThumbprint(privateKey(ec.privateKey))).toBe(jwkThumbprint(publicKey(ec.publicKey)));
    expect(refusedField(() => jwkThumbprint(hs256))).toBe('key');
  });

  it('are no secret that a forger could sign with', () => {
    const verifier = createTokenVerifier({ keys: ring });
    const pem = rsa.publicKey.export({ type: 'spki', format: 'pem' }).toString();
    for (const secret of [pem, JSON.stringify(publicJwks(ring).keys[0])]) {
      const now = Math.floor(Date.now() / 1_000);
      const claims = { ...goodClaims, iat: now, exp: now + 60 };
      const forged = forge({ alg: 'HS256', typ: 'JWT', kid: 'rsa' }, claims, secret);
      expect(verifier.verify(forged)).toEqual({ ok: false, reason: 'algorithm' });
    }
  });

  it.each([undefined, null, 5, {}, [undefined], [{}], [{ alg: 'RS256', verify: {} }]])('are refused as %j', (list) => {
    expect(refusedField(() => publicJwks(list as never))).toMatch(/^keys?$/);
  });
});

describe('KEY-06 a secret for each purpose', () => {
  it('is the same for the same key and label, and another one for any other', () => {
    const sources = [hs256, keys.ES256, keys.RS256, randomBytes(32)];
    const all = sources.flatMap((key) => ['cookie', 'csrf', 'cookie '].map((label) => deriveSecret(key, label)));
    expect(all.every((bytes) => bytes.length === 32)).toBe(true);
    expect(new Set(all.map((bytes) => bytes.toString('hex'))).size).toBe(12);
    for (const key of sources) expect(deriveSecret(key, 'csrf')).toEqual(deriveSecret(key, 'csrf'));
    expect(deriveSecret(Buffer.from(SECRET), 'csrf')).toEqual(deriveSecret(hs256, 'csrf'));
    expect(all.map(String)).not.toContain(String(hs256.verify.export()));
  });

  it('does not depend on how a private key was written down', () => {
    const { privateKey: pem } = generateKeyPairSync('ec', {
      namedCurve: 'P-256',
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    });
    const key = privateKey(pem);
    const jwk = key.sign?.export({ format: 'jwk' });
    const sec1 = key.sign?.export({ type: 'sec1', format: 'pem' });
    for (const material of [jwk, sec1]) {
      expect(deriveSecret(privateKey(material as never), 'csrf')).toEqual(deriveSecret(key, 'csrf'));
    }
  });

  it('makes a sound HS256 key, whose tokens the first key does not accept', () => {
    const derived = secretKey(deriveSecret(hs256, 'invitations'));
    const token = createTokenIssuer({ key: derived }).issue({ sub: 'ada' });
    expect(createTokenVerifier({ keys: [derived] }).verify(token).ok).toBe(true);
    expect(createTokenVerifier({ keys: [hs256] }).verify(token).ok).toBe(false);
  });

  it('comes from nothing public, short or unlabelled', () => {
    expect(refusedField(() => deriveSecret(publicKey(ec.publicKey), 'csrf'))).toBe('key');
    expect(refusedField(() => deriveSecret(randomBytes(31), 'csrf'))).toBe('key');
    expect(refusedField(() => deriveSecret(SECRET as never, 'csrf'))).toBe('key');
    for (const label of ['', 'é', 'a\n', 'a'.repeat(129), undefined, 5]) {
      expect(refusedField(() => deriveSecret(hs256, label as never))).toBe('label');
    }
  });
});

describe('KEY-05 the unsound keys of Wycheproof', () => {
  it('are refused: encryption keys, keys that may not verify, and mismatched algorithms', () => {
    const jwk = rsa.publicKey.export({ format: 'jwk' });
    for (const changes of [
      { use: 'enc' },
      { key_ops: ['encrypt'] },
      { alg: 'RSA-OAEP' },
      { alg: 'ES256' },
      { kty: 'oct' },
    ]) {
      expect(refusedField(() => publicKey({ ...jwk, ...changes }))).toMatch(/^(key|alg)$/);
    }
  });
});
