import { createSecretKey } from 'node:crypto';
import { inspect } from 'node:util';
import { createTokenIssuer, createTokenVerifier, publicKey, secretKey, type TokenKey } from 'doorward/tokens';
import { describe, expect, it } from 'vitest';
import { clock, encode, forge, forgeRs256, goodClaims, hs256, keys, NOW, rsa, SECRET } from '../tokens/forge.ts';
import { refusedField } from '../tokens/refused-field.ts';

const verifier = createTokenVerifier({ keys: [hs256], clock });
const pem = rsa.publicKey.export({ type: 'spki', format: 'pem' }).toString();
const jwk = JSON.stringify(rsa.publicKey.export({ format: 'jwk' }));

describe('a public key that is passed off as a secret', () => {
  it.each([
    ['PEM in Base64', Buffer.from(pem).toString('base64')],
    ['PEM in base64url', Buffer.from(pem).toString('base64url')],
    ['PEM in hexadecimal', Buffer.from(pem).toString('hex')],
    ['JWK in Base64', Buffer.from(jwk).toString('base64')],
    ['DER in hexadecimal', rsa.publicKey.export({ type: 'spki', format: 'der' }).toString('hex')],
  ])('JWT-03 is refused as %s', (_, secret) => {
    expect(refusedField(() => secretKey(secret))).toBe('secret');
  });

  it.each([
    ['PEM', pem],
    ['JWK', jwk],
    ['31 bytes', SECRET.slice(0, 31)],
  ])('JWT-03 is refused in a key put together by hand: %s', (_, secret) => {
    const bytes = createSecretKey(Buffer.from(secret));
    const byHand: TokenKey = { alg: 'HS256', sign: bytes, verify: bytes };
    expect(refusedField(() => createTokenVerifier({ keys: [byHand] }))).toBe('key');
    expect(refusedField(() => createTokenIssuer({ key: byHand }))).toBe('key');
  });

  it('JWT-03 stands in no key ring beside the key that it is the public part of', () => {
    const forged = forge({ alg: 'HS256', typ: 'JWT' }, goodClaims, Buffer.from(pem));
    const both = createTokenVerifier({ keys: [publicKey(rsa.publicKey, { kid: 'rsa' }), hs256], clock });
    expect(both.verify(forged)).toEqual({ ok: false, reason: 'signature' });
  });
});

describe('options that would check nothing', () => {
  it.each([
    [Object.create({ issuer: 'https://login.example.org' })],
    [Object.create({ audience: 'api' })],
    [
      new (class {
        get issuer() {
          return 'https://login.example.org';
        }
      })(),
    ],
  ])('JWT-20 are refused when they are inherited', (options) => {
    expect(refusedField(() => createTokenVerifier(Object.assign(options, { keys: [hs256] })))).toBe('options');
  });
});

describe('names that two parsers read in two ways', () => {
  it.each([
    '{"alg":"none","\\u0061lg":"HS256","typ":"JWT"}',
    '{"alg":"HS256","typ":"JWT","kid":"a","\\u006bid":null}',
    '{"alg":"HS256","typ":"JWT","__proto__":{},"__proto__":{}}',
    '{"alg":"HS256","typ":"JWT","0":1,"0":2}',
    '\uFEFF{"alg":"HS256","typ":"JWT"}',
    '{"alg":"HS256","typ":"JWT"}\u0000',
  ])('JWT-24 are refused in a header: %j', (header) => {
    expect(verifier.verify(forge(header, goodClaims))).toEqual({ ok: false, reason: 'malformed' });
  });

  it.each([
    `{"sub":"ada","s\\u0075b":"eve","iat":${NOW},"exp":${NOW + 60}}`,
    `{"sub":"ada","iat":${NOW},"exp":${NOW - 60},"ex\\u0070":${NOW + 60}}`,
    `{"":1,"":2,"sub":"ada","iat":${NOW},"exp":${NOW + 60}}`,
    `{"x":"\\\\","x":"\\"","sub":"ada","iat":${NOW},"exp":${NOW + 60}}`,
  ])('JWT-24 are refused in the claims: %j', (claims) => {
    expect(verifier.verify(forge({ alg: 'HS256', typ: 'JWT' }, claims))).toEqual({ ok: false, reason: 'malformed' });
  });

  it.each([
    `{"sub":"a\\"b:{","iat":${NOW},"exp":${NOW + 60}}`,
    `{"sub":"ada","deep":{"sub":"eve","x":[{"sub":1}]},"iat":${NOW},"exp":${NOW + 60}}`,
    ` \n{ "sub" : "ada" , "iat" : ${NOW} , "exp" : ${NOW + 60} , "x" : [ ":" , { } ] }\t`,
  ])('JWT-24 are not seen where there are none: %j', (claims) => {
    expect(verifier.verify(forge({ alg: 'HS256', typ: 'JWT' }, claims))).toMatchObject({ ok: true });
  });
});

describe('games with kid', () => {
  const ring = createTokenVerifier({ keys: [secretKey(SECRET, { kid: 'a' }), publicKey(rsa.publicKey)], clock });

  it.each([
    null,
    0,
    '',
    'A',
    'a ',
    ['a'],
    { a: 1 },
    '__proto__',
    'constructor',
    'undefined',
    '../a',
    'x'.repeat(5_000),
  ])('JWT-07 %j selects no key', (kid) => {
    expect(ring.verify(forge({ alg: 'HS256', typ: 'JWT', kid }, goodClaims)).ok).toBe(false);
  });

  it('JWT-05 kid does not choose the algorithm, nor its absence', () => {
    expect(ring.verify(forge({ alg: 'HS256', typ: 'JWT' }, goodClaims))).toEqual({ ok: false, reason: 'algorithm' });
    const crossed = forgeRs256({ alg: 'RS256', typ: 'JWT', kid: 'a' }, goodClaims);
    expect(ring.verify(crossed)).toEqual({ ok: false, reason: 'algorithm' });
    expect(ring.verify(forgeRs256({ alg: 'HS256', typ: 'JWT', kid: 'a' }, goodClaims)).ok).toBe(false);
  });
});

describe('a token that is no token', () => {
  it.each([
    ['a String object', () => Object(`${forge({ alg: 'HS256', typ: 'JWT' }, goodClaims)}`)],
    ['an array of one', () => [forge({ alg: 'HS256', typ: 'JWT' }, goodClaims)]],
    ['an object that turns into one', () => ({ toString: () => forge({ alg: 'HS256', typ: 'JWT' }, goodClaims) })],
    ['bytes', () => Buffer.from(forge({ alg: 'HS256', typ: 'JWT' }, goodClaims))],
    ['one with a NUL behind it', () => `${forge({ alg: 'HS256', typ: 'JWT' }, goodClaims)}\u0000`],
    ['one behind a byte order mark', () => `\uFEFF${forge({ alg: 'HS256', typ: 'JWT' }, goodClaims)}`],
  ])('JWT-22 %s', (_, make) => {
    expect(verifier.verify(make()).ok).toBe(false);
  });

  it('DOS-05 of 10 MB is refused by its length', () => {
    expect(verifier.verify('a.'.repeat(5_000_000))).toEqual({ ok: false, reason: 'too_large' });
  });
});

describe('what is shown', () => {
  it('AUD-06 of keys, issuers, verifiers and their errors is no secret', () => {
    const issuer = createTokenIssuer({ key: hs256, clock });
    const shown = [hs256, keys.RS256, issuer, verifier, secretError()]
      .flatMap((value) => [inspect(value, { depth: 9, showHidden: true, getters: true }), JSON.stringify(value)])
      .join('\n');
    for (const form of [SECRET, encode(SECRET), Buffer.from(SECRET).toString('hex'), 'PRIVATE KEY']) {
      expect(shown).not.toContain(form);
    }
  });
});

function secretError(): unknown {
  try {
    return secretKey(`${SECRET}\n`);
  } catch (error) {
    return error;
  }
}
