import { createPublicKey, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';
import { inspect } from 'node:util';
import {
  createTokenIssuer,
  createTokenVerifier,
  type KeyMaterial,
  privateKey,
  publicKey,
  readKey,
  secretKey,
  type TokenKey,
} from 'doorward/tokens';
import { describe, expect, it } from 'vitest';
import { clock, ec, hs256, keys, NOW, rsa, SECRET } from './forge.ts';
import { refusedField } from './refused-field.ts';

const jwkOf = (key: KeyObject) => key.export({ format: 'jwk' });
const pemOf = (key: typeof rsa.privateKey) => key.export({ type: 'pkcs8', format: 'pem' }).toString();
const publicPemOf = (key: typeof rsa.publicKey) => key.export({ type: 'spki', format: 'pem' }).toString();

function roundTrip(sign: TokenKey, verify: TokenKey): boolean {
  const token = createTokenIssuer({ key: sign, clock }).issue({ sub: 'ada' });
  return createTokenVerifier({ keys: [verify], clock }).verify(token).ok;
}

describe('secretKey', () => {
  it('JWT-20 asks for 32 bytes, counted as UTF-8', () => {
    expect(refusedField(() => secretKey(''))).toBe('secret');
    expect(refusedField(() => secretKey('abc'))).toBe('secret');
    expect(refusedField(() => secretKey(SECRET.slice(0, 31)))).toBe('secret');
    expect(refusedField(() => secretKey(SECRET.slice(0, 32)))).toBe(undefined);
    expect(refusedField(() => secretKey(randomBytes(31)))).toBe('secret');
    expect(refusedField(() => secretKey('ÄÖÜßéèêàâîïôûçñ§'))).toBe(undefined);
    for (const value of [undefined, null, 5, {}, [SECRET]])
      expect(refusedField(() => secretKey(value as never))).toBe('secret');
  });

  it.each([
    ['one character', 'a'.repeat(32)],
    ['zeros', Buffer.alloc(32)],
    ['a repeated word', 'changemechangemechangemechangeme'],
    ['a repeated word, cut', 'secretsecretsecretsecretsecretsec'],
    ['a repeated random half', 'k7Qz1Vx9Lm4Tb2Wyk7Qz1Vx9Lm4Tb2Wy'],
    ['words', 'my-super-secret-key-that-is-at-least-32-bytes-long'],
    ['words in capitals', 'PLEASE_CHANGE_THIS_SIGNING_SECRET_IN_PRODUCTION'],
    ['words without separators', 'thisismyverylongsecretkeyforjwt!!'],
    ['words and years', 'supersecretpassword1234567890secret!'],
    ['a sequence', 'abcdefghijklmnopqrstuvwxyz0123456789'],
    ['digits', '12345678901234567890123456789012'],
    ['the example of a tutorial', 'your-256-bit-secret-your-256-bit-secret'],
  ])('KEY-08 refuses %s', (_, secret) => {
    expect(refusedField(() => secretKey(secret))).toBe('secret');
  });

  it('KEY-08 takes random bytes in every usual spelling', () => {
    for (let i = 0; i < 200; i++) {
      const bytes = randomBytes(32);
      expect(refusedField(() => secretKey(bytes))).toBe(undefined);
      for (const encoding of ['hex', 'base64', 'base64url'] as const) {
        expect(refusedField(() => secretKey(bytes.toString(encoding)))).toBe(undefined);
      }
    }
  });

  it.each([`${SECRET}\n`, `${SECRET}\r\n`, `${SECRET} `, `${SECRET}\t`, ` ${SECRET}`, `\ufeff${SECRET}`])(
    'KEY-07 refuses %j, also as bytes, and says why',
    (secret) => {
      expect(refusedField(() => secretKey(secret))).toBe('secret');
      expect(refusedField(() => secretKey(Buffer.from(secret)))).toBe('secret');
      expect(() => secretKey(secret)).toThrow('white space');
    },
  );

  it('KEY-07 takes the exact bytes: no Base64 is decoded', () => {
    const bytes = randomBytes(48);
    expect(roundTrip(secretKey(bytes), secretKey(bytes.toString('base64')))).toBe(false);
    expect(roundTrip(secretKey(SECRET), secretKey(Buffer.from(SECRET)))).toBe(true);
    expect(roundTrip(secretKey(SECRET), secretKey(new Uint8Array(Buffer.from(SECRET))))).toBe(true);
  });

  it('keeps its own copy of the bytes', () => {
    const bytes = Buffer.from(SECRET);
    const key = secretKey(bytes);
    bytes.fill(0);
    expect(roundTrip(key, secretKey(SECRET))).toBe(true);
  });

  const pem = publicPemOf(rsa.publicKey);
  const der = rsa.publicKey.export({ type: 'spki', format: 'der' });
  it.each([
    ['PEM', pem],
    ['PEM after NUL', `\0${pem}`],
    ['PEM after a byte order mark', `\ufeff${pem}`],
    ['PEM after a comment', `# the key\n${pem}`],
    ['PEM in one line', pem.replaceAll('\n', '')],
    ['private PEM', pemOf(ec.privateKey)],
    ['DER', der],
    ['PKCS #1 DER', rsa.publicKey.export({ type: 'pkcs1', format: 'der' })],
    ['DER in Base64', der.toString('base64')],
    ['DER in base64url', der.toString('base64url')],
    ['the Base64 lines of a PEM', pem.split('\n').slice(1, -2).join('\n')],
    ['private DER', rsa.privateKey.export({ type: 'pkcs8', format: 'der' })],
    ['private PKCS #1 DER', rsa.privateKey.export({ type: 'pkcs1', format: 'der' })],
    ['private SEC 1 DER', ec.privateKey.export({ type: 'sec1', format: 'der' })],
    ['EC DER', ec.publicKey.export({ type: 'spki', format: 'der' })],
    ['RSA JWK', JSON.stringify(jwkOf(rsa.publicKey))],
    ['EC JWK', JSON.stringify(jwkOf(ec.publicKey))],
    ['JWK after NUL', `\0${JSON.stringify(jwkOf(ec.publicKey))}`],
    ['JWK after a byte order mark', `\ufeff${JSON.stringify(jwkOf(ec.publicKey))}`],
    ['JWK after a space, with a line end', ` ${JSON.stringify(jwkOf(ec.publicKey))}\n`],
    ['JWKS', JSON.stringify({ keys: [jwkOf(ec.publicKey)] })],
    ['OpenSSH', `ssh-ed25519 AAAA${randomBytes(40).toString('base64')} me@host`],
  ])('JWT-03 refuses an asymmetric key as a secret: %s', (_, secret) => {
    expect(refusedField(() => secretKey(secret))).toBe('secret');
    expect(() => secretKey(secret)).toThrow('asymmetric key');
  });
});

describe('privateKey and publicKey', () => {
  it.each([
    ['RSA PEM', pemOf(rsa.privateKey), publicPemOf(rsa.publicKey), 'RS256'],
    ['EC PEM', pemOf(ec.privateKey), publicPemOf(ec.publicKey), 'ES256'],
    ['RSA JWK', jwkOf(rsa.privateKey), jwkOf(rsa.publicKey), 'RS256'],
    ['EC JWK', jwkOf(ec.privateKey), jwkOf(ec.publicKey), 'ES256'],
    [
      'RSA JWK with alg',
      { ...jwkOf(rsa.privateKey), alg: 'PS256' },
      { ...jwkOf(rsa.publicKey), alg: 'PS256' },
      'PS256',
    ],
    ['KeyObject', rsa.privateKey, rsa.publicKey, 'RS256'],
  ] as [string, KeyMaterial, KeyMaterial, string][])('take a key as %s', (_, secretPart, publicPart, alg) => {
    const signing = privateKey(secretPart);
    const verifying = publicKey(publicPart);
    expect([signing.alg, verifying.alg]).toEqual([alg, alg]);
    expect(verifying.sign).toBe(undefined);
    expect(roundTrip(signing, verifying)).toBe(true);
  });

  it('take kid from the JWK, and from the options first', () => {
    const jwk = { ...jwkOf(ec.publicKey), kid: 'from-jwk' };
    expect(publicKey(jwk).kid).toBe('from-jwk');
    expect(publicKey(jwk, { kid: 'from-options' }).kid).toBe('from-options');
  });

  it('JWT-20 KEY-05 ask for 2,048 bits', () => {
    const small = generateKeyPairSync('rsa', { modulusLength: 1_024 });
    expect(refusedField(() => privateKey(small.privateKey))).toBe('key');
    expect(refusedField(() => publicKey(publicPemOf(small.publicKey)))).toBe('key');
  });

  it.each(['AQ', 'AA', 'Ag', 'AQAA'])('KEY-05 refuse the RSA exponent %j', (e) => {
    expect(refusedField(() => publicKey({ ...jwkOf(rsa.publicKey), e }))).toBe('key');
  });

  it('KEY-05 refuse a modulus with the fingerprint of the ROCA generator', () => {
    const primes = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97];
    const more = [101, 103, 107, 109, 113, 127, 131, 137, 139, 149, 151, 157, 163, 167];
    const product = [...primes, ...more].reduce((all, prime) => all * BigInt(prime), 1n);
    const n = product * (1n << 1_830n) + (65_537n ** 5n % product);
    const hex = n.toString(16);
    const modulus = Buffer.from(hex.length % 2 ? `0${hex}` : hex, 'hex').toString('base64url');
    const jwk = { kty: 'RSA', e: 'AQAB', n: modulus };
    expect(createPublicKey({ key: jwk, format: 'jwk' }).asymmetricKeyDetails?.modulusLength).toBeGreaterThanOrEqual(
      2_048,
    );
    expect(() => publicKey(jwk)).toThrow('ROCA');
  });

  it('KEY-05 refuse other curves and other kinds of key', () => {
    for (const namedCurve of ['P-384', 'P-521', 'secp256k1']) {
      expect(refusedField(() => privateKey(generateKeyPairSync('ec', { namedCurve }).privateKey))).toBe('key');
    }
    const ed25519 = generateKeyPairSync('ed25519');
    expect(refusedField(() => privateKey(ed25519.privateKey))).toBe('key');
    expect(refusedField(() => publicKey(ed25519.publicKey))).toBe('key');
    const pss = generateKeyPairSync('rsa-pss', { modulusLength: 2_048 });
    expect(refusedField(() => privateKey(pss.privateKey, { alg: 'PS256' }))).toBe('key');
    expect(refusedField(() => publicKey({ kty: 'oct', k: Buffer.from(SECRET).toString('base64url') }))).toBe('key');
    expect(refusedField(() => publicKey(hs256.verify))).toBe('key');
    expect(refusedField(() => privateKey(hs256.verify))).toBe('key');
  });

  it('KEY-05 refuse a point that is not on the curve', () => {
    const jwk = ec.publicKey.export({ format: 'jwk' });
    expect(refusedField(() => publicKey({ ...jwk, y: jwk.x ?? '' }))).toBe('key');
  });

  it('KEY-05 refuse a JWK that is not meant for the purpose', () => {
    const publicJwk = jwkOf(rsa.publicKey);
    const privateJwk = jwkOf(rsa.privateKey);
    for (const purpose of [
      { use: 'enc' },
      { use: '' },
      { key_ops: ['encrypt'] },
      { key_ops: ['sign'] },
      { key_ops: [] },
      { key_ops: 'verify' },
    ]) {
      expect(refusedField(() => publicKey({ ...publicJwk, ...purpose }))).toBe('key');
    }
    expect(refusedField(() => privateKey({ ...privateJwk, key_ops: ['verify'] }))).toBe('key');
    expect(refusedField(() => privateKey({ ...privateJwk, use: 'enc' }))).toBe('key');
    expect(refusedField(() => privateKey({ ...privateJwk, use: 'sig', key_ops: ['sign', 'verify'] }))).toBe(undefined);
    expect(refusedField(() => publicKey({ ...publicJwk, use: 'sig', key_ops: ['verify'] }))).toBe(undefined);
  });

  it('KEY-05 refuse an algorithm that is not the key’s', () => {
    const rsaJwk = jwkOf(rsa.publicKey);
    expect(refusedField(() => publicKey({ ...rsaJwk, alg: 'ES256' }))).toBe('key');
    expect(refusedField(() => publicKey(rsa.publicKey, { alg: 'ES256' }))).toBe('key');
    expect(refusedField(() => publicKey(ec.publicKey, { alg: 'RS256' }))).toBe('key');
    for (const alg of ['HS256', 'RS384', 'RSA-OAEP', 'none', 'rs256', 5, null]) {
      expect(refusedField(() => publicKey({ ...rsaJwk, alg } as never))).toBe('alg');
    }
    expect(refusedField(() => publicKey({ ...rsaJwk, alg: 'RS256' }, { alg: 'PS256' }))).toBe('alg');
    expect(refusedField(() => publicKey(rsa.publicKey, { alg: 'HS256' } as never))).toBe('alg');
    expect(refusedField(() => publicKey(rsa.publicKey, { alg: undefined } as never))).toBe('alg');
  });

  it('refuse halves that do not belong together', () => {
    const other = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' });
    expect(refusedField(() => privateKey({ ...jwkOf(ec.privateKey), x: other.x, y: other.y } as never))).toBe('key');
  });

  it('keep private keys out of places that only verify, and the other way round', () => {
    for (const material of [pemOf(rsa.privateKey), jwkOf(rsa.privateKey), rsa.privateKey]) {
      expect(refusedField(() => publicKey(material))).toBe('key');
    }
    for (const material of [publicPemOf(rsa.publicKey), jwkOf(rsa.publicKey), rsa.publicKey]) {
      expect(refusedField(() => privateKey(material))).toBe('key');
    }
  });

  it.each(['', 'no key', '-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----', undefined, null, 5, []])(
    'refuse %j',
    (material) => {
      expect(refusedField(() => publicKey(material as never))).toBe('key');
      expect(refusedField(() => privateKey(material as never))).toBe('key');
    },
  );

  it.each(['', 'a b', 'é', 'k'.repeat(129), 'a\nb'])('refuse the kid %j', (kid) => {
    expect(refusedField(() => publicKey(rsa.publicKey, { kid }))).toBe('kid');
    expect(refusedField(() => secretKey(SECRET, { kid }))).toBe('kid');
    expect(refusedField(() => publicKey({ ...jwkOf(rsa.publicKey), kid }))).toBe('kid');
  });

  it('refuse options that they do not know', () => {
    expect(refusedField(() => publicKey(rsa.publicKey, { algorithm: 'PS256' } as never))).toBe('algorithm');
    expect(refusedField(() => secretKey(SECRET, { alg: 'HS256' } as never))).toBe('alg');
    expect(refusedField(() => secretKey(SECRET, null as never))).toBe('options');
  });
});

describe('readKey', () => {
  it('reads private and public keys in PEM and as a JWK', () => {
    const texts = [
      pemOf(rsa.privateKey),
      JSON.stringify(jwkOf(rsa.privateKey), null, 2),
      `\n ${JSON.stringify(jwkOf(rsa.privateKey))}\n`,
    ];
    const sec1 = ec.privateKey.export({ type: 'sec1', format: 'pem' }).toString();
    expect(texts.map((text) => readKey(text).sign?.type)).toEqual(['private', 'private', 'private']);
    expect(readKey(sec1).alg).toBe('ES256');
    expect(readKey(publicPemOf(rsa.publicKey)).sign).toBe(undefined);
    expect(readKey(JSON.stringify(jwkOf(ec.publicKey))).sign).toBe(undefined);
    expect(readKey(pemOf(rsa.privateKey), { alg: 'PS256', kid: 'k' })).toMatchObject({ alg: 'PS256', kid: 'k' });
  });

  it.each(['', ' ', '{', '{}', '[]', SECRET, '{"kty":"oct","k":"AAAA"}', '{"kty":"RSA","d":"AA"}'])(
    'refuses %j',
    (text) => {
      expect(refusedField(() => readKey(text))).toBe('key');
    },
  );

  it('refuses an encrypted private key', () => {
    const text = rsa.privateKey.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' });
    expect(refusedField(() => readKey(text.toString()))).toBe('key');
  });
});

describe('what is returned', () => {
  it('is frozen', () => {
    for (const key of Object.values(keys)) expect(Object.isFrozen(key)).toBe(true);
    expect(Object.isFrozen(createTokenIssuer({ key: hs256 }))).toBe(true);
    expect(Object.isFrozen(createTokenVerifier({ keys: [hs256] }))).toBe(true);
  });

  it('shows nothing of a key when it is printed or turned into JSON', () => {
    const { d = '', n = '', p = '' } = rsa.privateKey.export({ format: 'jwk' });
    const parts = [SECRET, Buffer.from(SECRET).toString('hex').slice(0, 16), d, n, p].map((part) => part.slice(0, 16));
    for (const key of Object.values(keys)) {
      for (const made of [key, createTokenIssuer({ key }), createTokenVerifier({ keys: [key] })]) {
        const shown = `${JSON.stringify(made)} ${inspect(made, { depth: 20, showHidden: true, getters: true })}`;
        for (const part of parts) expect(shown).not.toContain(part);
      }
    }
  });

  it('shows nothing of a key in an error', () => {
    const secret = `${SECRET.slice(0, 20)}\n`;
    const pem = pemOf(rsa.privateKey);
    for (const make of [() => secretKey(secret), () => publicKey(pem), () => privateKey(pem.replace('MII', 'XII'))]) {
      try {
        make();
        expect.unreachable();
      } catch (error) {
        const shown = inspect(error, { depth: 20, showHidden: true });
        expect(shown).not.toContain(SECRET.slice(0, 10));
        expect(shown).not.toContain(pem.slice(100, 120));
      }
    }
  });

  it('puts no key into a token', () => {
    const token = createTokenIssuer({ key: hs256, clock: () => NOW * 1_000 }).issue({ sub: 'ada' });
    expect(Buffer.from(token, 'base64url').toString('latin1')).not.toContain(SECRET);
  });
});
