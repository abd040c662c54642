import { createHmac, generateKeyPairSync } from 'node:crypto';
import type { OnceStore } from 'doorward';
import { createDpopVerifier, type DpopResult, type DpopVerifier } from 'doorward/oauth';
import { createMemoryOnceStore } from 'doorward/stores/memory';
import { fixedClock } from 'doorward/testing';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, SignJWT } from 'jose';
import * as oauth from 'oauth4webapi';
import { describe, expect, it } from 'vitest';
import { type ClientKey, ecKey, encoded, forge, proofClaims, proofHeader, rsaKey } from '../oauth/support/proofs.ts';

const START = Date.UTC(2026, 10, 21, 12);
const about = { method: 'GET', url: 'https://api.example.org/posts', accessToken: 'an.access.token' };
const key = ecKey();

function open(options: Partial<Parameters<typeof createDpopVerifier>[0]> = {}) {
  const clock = fixedClock(START);
  const verifier = createDpopVerifier({ once: createMemoryOnceStore(), clock, ...options });
  return { clock, verifier };
}

const claims = (changes: object = {}) => ({ ...proofClaims(START, about), ...changes });
const header = (changes: object = {}, of: ClientKey = key) => ({ ...proofHeader(of), ...changes });
const proof = (changes: object = {}) => forge(key, header(), claims(changes));
const check = (text: unknown, verifier: DpopVerifier = open().verifier): Promise<DpopResult> =>
  verifier.verify(text, about);
const refused = (reason: string) => ({ ok: false, reason });
const without = (value: object, name: string) => Object.fromEntries(Object.entries(value).filter(([k]) => k !== name));

describe('a good DPoP proof', () => {
  it.each([
    ['ES256', key],
    ['RS256', rsaKey('RS256')],
    ['PS256', rsaKey('PS256')],
  ])('of %s gives the thumbprint of its key (RFC 7638)', async (_alg, of) => {
    const thumbprint = await calculateJwkThumbprint(of.jwk as Parameters<typeof calculateJwkThumbprint>[0]);
    expect(await check(forge(of, header({}, of), claims()))).toEqual({ ok: true, thumbprint });
  });

  it('may be made by jose', async () => {
    const { privateKey, publicKey } = await generateKeyPair('PS256');
    const text = await new SignJWT(claims())
      .setProtectedHeader({ alg: 'PS256', typ: 'dpop+jwt', jwk: await exportJWK(publicKey) })
      .sign(privateKey);
    expect(await check(text)).toMatchObject({ ok: true });
  });

  it('may be made by oauth4webapi', async () => {
    const keys = await oauth.generateKeyPair('ES256');
    const DPoP = oauth.DPoP({}, keys);
    const sent: Request[] = [];
    await oauth.protectedResourceRequest(
      about.accessToken,
      'GET',
      new URL(`${about.url}?page=2`),
      new Headers(),
      null,
      {
        DPoP,
        [oauth.customFetch]: async (url: string, init: oauth.CustomFetchOptions<'GET', undefined>) => {
          sent.push(new Request(url, { headers: init.headers }));
          return new Response(null, { status: 204 });
        },
      } as oauth.ProtectedResourceRequestOptions,
    );
    const { verifier } = open({ clock: Date.now });
    const result = await verifier.verify(sent[0]?.headers.get('dpop'), about);
    expect(result).toEqual({ ok: true, thumbprint: await DPoP.calculateThumbprint() });
  });

  it.each([
    'https://api.example.org/posts?page=2#top',
    'HTTPS://API.example.org:443/posts',
    'https://api.example.org/a/../posts',
    'https://api.example.org/%70osts',
  ])('may name its address as %s', async (htu) => {
    expect(await check(proof({ htu }))).toMatchObject({ ok: true });
  });

  it('is good as long as the window is open, and may be a little early', async () => {
    const iat = START / 1_000;
    expect(await check(proof({ iat: iat - 300 }))).toMatchObject({ ok: true });
    expect(await check(proof({ iat: iat + 60 }))).toMatchObject({ ok: true });
  });

  it('needs no hash of a token where no token is', async () => {
    const { verifier } = open();
    const { method, url } = about;
    expect(await verifier.verify(proof({ ath: undefined }), { method, url })).toMatchObject({ ok: true });
  });
});

describe('a DPoP proof is refused (OAU-39)', () => {
  const iat = START / 1_000;

  it.each<[string, unknown, string]>([
    ['that is no text', 7, 'malformed'],
    ['that is missing', null, 'malformed'],
    ['that is empty', '', 'malformed'],
    ['of two parts', proof().split('.').slice(0, 2).join('.'), 'malformed'],
    ['of four parts', `${proof()}.x`, 'malformed'],
    ['of five parts', `${proof()}.x.y`, 'malformed'],
    ['that came twice', `${proof()}, ${proof()}`, 'malformed'],
    ['with padding', `${proof()}=`, 'signature'],
    ['whose header is a list', forge(key, [], claims()), 'malformed'],
    [
      'whose header names a member twice',
      forge(key, `{"alg":"none",${JSON.stringify(header()).slice(1)}`, claims()),
      'malformed',
    ],
    ['whose claims are a list', forge(key, header(), []), 'malformed'],
    ['of more than 8 KiB', forge(key, header({ pad: 'x'.repeat(8_192) }), claims()), 'too_large'],
    ['with critical members', forge(key, header({ crit: ['exp'], exp: iat + 60 }), claims()), 'critical_header'],
    ['with an unencoded payload', forge(key, header({ b64: false }), claims()), 'critical_header'],
    ['without a type', forge(key, without(header(), 'typ'), claims()), 'type'],
    ['that is an ordinary JWT', forge(key, header({ typ: 'JWT' }), claims()), 'type'],
    ['without an algorithm', forge(key, without(header(), 'alg'), claims()), 'algorithm'],
    ['of no algorithm', forge(key, header({ alg: 'none' }), claims()), 'algorithm'],
    ['of an inherited name', forge(key, header({ alg: 'constructor' }), claims()), 'algorithm'],
    ['of an algorithm that is none of ours', forge(key, header({ alg: 'ES512' }), claims()), 'algorithm'],
    ['of an algorithm for other keys', forge(key, header({ alg: 'RS256' }), claims()), 'key'],
    ['without a key', forge(key, without(header(), 'jwk'), claims()), 'key'],
    ['whose key is a text', forge(key, header({ jwk: 'key' }), claims()), 'key'],
    ['whose key is empty', forge(key, header({ jwk: {} }), claims()), 'key'],
    ['whose key is not on the curve', forge(key, header({ jwk: { ...key.jwk, y: key.jwk.x } }), claims()), 'key'],
    ['whose key is for encryption', forge(key, header({ jwk: { ...key.jwk, use: 'enc' } }), claims()), 'key'],
    ['whose key is of another algorithm', forge(key, header({ jwk: { ...key.jwk, alg: 'RS256' } }), claims()), 'key'],
    ['whose key is private', forge(key, header({ jwk: key.privateKey.export({ format: 'jwk' }) }), claims()), 'key'],
    ['with one private member', forge(key, header({ jwk: { ...key.jwk, dp: 'AQAB' } }), claims()), 'key'],
    ['signed by another key', forge(ecKey(), header(), claims()), 'signature'],
    ['that was changed', proof().replace(/\.[^.]+\./, `.${encoded(claims())}.`), 'signature'],
    ['without a signature', `${proof().split('.').slice(0, 2).join('.')}.`, 'malformed'],
    ['for another method', proof({ htm: 'POST' }), 'method'],
    ['for the method in lower case', proof({ htm: 'get' }), 'method'],
    ['without a method', proof({ htm: undefined }), 'method'],
    ['for another host', proof({ htu: 'https://api.example.net/posts' }), 'address'],
    ['for another port', proof({ htu: 'https://api.example.org:8443/posts' }), 'address'],
    ['for another scheme', proof({ htu: 'http://api.example.org/posts' }), 'address'],
    ['for another path', proof({ htu: 'https://api.example.org/posts/1' }), 'address'],
    ['for the path with a slash', proof({ htu: 'https://api.example.org/posts/' }), 'address'],
    ['for an address with a user', proof({ htu: 'https://u@api.example.org/posts' }), 'address'],
    ['for an address with a backslash', proof({ htu: 'https://api.example.org\\posts' }), 'address'],
    ['for a path alone', proof({ htu: '/posts' }), 'address'],
    ['without an address', proof({ htu: undefined }), 'address'],
    ['of 301 seconds ago', proof({ iat: iat - 301 }), 'expired'],
    ['of 301 seconds ahead', proof({ iat: iat + 301 }), 'not_yet_valid'],
    ['of 61 seconds ahead', proof({ iat: iat + 61 }), 'not_yet_valid'],
    ['without a time', proof({ iat: undefined }), 'claims'],
    ['whose time is a text', proof({ iat: String(iat) }), 'claims'],
    [
      'whose time is endless',
      forge(key, header(), JSON.stringify(claims()).replace(String(iat), '1e999')),
      'not_yet_valid',
    ],
    ['without a name', proof({ jti: undefined }), 'claims'],
    ['whose name is empty', proof({ jti: '' }), 'claims'],
    ['whose name is a number', proof({ jti: 7 }), 'claims'],
    ['whose name is long', proof({ jti: 'x'.repeat(257) }), 'claims'],
    ['without the hash of the token', proof({ ath: undefined }), 'access_token'],
    [
      'with the hash of another token',
      forge(key, header(), proofClaims(START, { ...about, accessToken: 'b' })),
      'access_token',
    ],
  ])('%s', async (_name, text, reason) => {
    expect(await check(text)).toEqual(refused(reason));
  });

  it('that a shared secret signed, its key being that secret', async () => {
    const secret = 'a'.repeat(43);
    const jwk = { kty: 'oct', k: secret };
    const input = `${encoded({ typ: 'dpop+jwt', alg: 'HS256', jwk })}.${encoded(claims())}`;
    const mac = createHmac('sha256', Buffer.from(secret, 'base64url')).update(input).digest('base64url');
    expect(await check(`${input}.${mac}`)).toEqual(refused('algorithm'));
  });

  it.each<[string, ClientKey]>([
    ['is weak', rsaKey('RS256', 1_024)],
    ['is larger than anybody needs', rsaKey('RS256', 4_608)],
    ['is on another curve', ecKey('P-384')],
  ])('whose key %s', async (_name, of) => {
    expect(await check(forge(of, header({}, of), claims()))).toEqual(refused('key'));
  });

  it.each<[string, (n: Buffer) => { n: Buffer; e: Buffer }]>([
    ['has an exponent as large as its modulus', (n) => ({ n, e: Buffer.concat([Buffer.of(0x7f), n.subarray(1)]) })],
    ['has an exponent of five bytes', (n) => ({ n, e: Buffer.of(1, 0, 0, 0, 1) })],
    ['has the exponent one', (n) => ({ n, e: Buffer.of(1) })],
    ['is zero', () => ({ n: Buffer.of(0), e: Buffer.of(0) })],
  ])('whose key %s', async (_name, change) => {
    const of = rsaKey('RS256');
    const { n, e } = change(Buffer.from(String(of.jwk.n), 'base64url'));
    const jwk = { kty: 'RSA', n: n.toString('base64url'), e: e.toString('base64url') };
    expect(await check(forge(of, header({ jwk }, of), claims()))).toEqual(refused('key'));
  });

  it('whose key has an even modulus', async () => {
    const of = rsaKey('RS256');
    const n = Buffer.concat([Buffer.from(String(of.jwk.n), 'base64url').subarray(0, -1), Buffer.of(0)]);
    const jwk = { ...of.jwk, n: n.toString('base64url') };
    expect(await check(forge(of, header({ jwk }, of), claims()))).toEqual(refused('signature'));
  });

  it('of EdDSA, which is none of ours', async () => {
    const { publicKey } = generateKeyPairSync('ed25519');
    const jwk = publicKey.export({ format: 'jwk' });
    expect(await check(forge(key, header({ alg: 'EdDSA', jwk }), claims()))).toEqual(refused('algorithm'));
  });

  it('of an algorithm that this server leaves out', async () => {
    const { verifier } = open({ algorithms: ['PS256'] });
    expect(await check(proof(), verifier)).toEqual(refused('algorithm'));
  });

  it('whatever its header inherits', async () => {
    const text = forge(key, `{"__proto__":${JSON.stringify(header())}}`, claims());
    expect(await check(text)).toEqual(refused('type'));
  });
});

describe('a DPoP proof that was used', () => {
  it('is refused, for as long as it would be good', async () => {
    const { clock, verifier } = open();
    const text = proof({ iat: START / 1_000 + 60 });
    expect(await check(text, verifier)).toMatchObject({ ok: true });
    for (const seconds of [0, 1, 299, 59, 1]) {
      clock.advance(seconds * 1_000);
      expect(await check(text, verifier)).toEqual(refused('replayed'));
    }
    clock.advance(1_000);
    expect(await check(text, verifier)).toEqual(refused('expired'));
  });

  it('is known by its name, whatever else the next one says', async () => {
    const { verifier } = open();
    expect(await check(proof({ jti: 'same' }), verifier)).toMatchObject({ ok: true });
    expect(await check(proof({ jti: 'same', iat: START / 1_000 - 1 }), verifier)).toEqual(refused('replayed'));
  });

  it('does not spend the names of another key', async () => {
    const { verifier } = open();
    const other = ecKey();
    expect(await check(proof({ jti: 'same' }), verifier)).toMatchObject({ ok: true });
    expect(await check(forge(other, header({}, other), claims({ jti: 'same' })), verifier)).toMatchObject({ ok: true });
  });

  it('is good for one of fifty who present it at the same time', async () => {
    const { verifier } = open();
    const text = proof();
    const results = await Promise.all(Array.from({ length: 50 }, () => check(text, verifier)));
    expect(results.filter(({ ok }) => ok)).toHaveLength(1);
  });

  it('is not spent by a request that it is not about', async () => {
    const { verifier } = open();
    const text = proof();
    expect(await verifier.verify(text, { ...about, method: 'DELETE' })).toEqual(refused('method'));
    expect(await verifier.verify(text, { ...about, accessToken: 'stolen' })).toEqual(refused('access_token'));
    expect(await check(text, verifier)).toMatchObject({ ok: true });
  });
});

describe('a store that fails', () => {
  it.each<[string, OnceStore['once']]>([
    ['rejects', () => Promise.reject(new Error('down'))],
    ['answers with a number', (() => Promise.resolve(1)) as unknown as OnceStore['once']],
    ['never answers', () => new Promise(() => undefined)],
  ])('is no permission when it %s', async (_name, once) => {
    const { verifier } = open({ once: { once }, storeTimeoutMs: 20 });
    await expect(check(proof(), verifier)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  });

  it('is not asked about what is refused anyway, and is told no name in the clear', async () => {
    const keys: string[] = [];
    const { verifier } = open({ once: { once: async (name) => keys.push(name) > 0 } });
    await check(proof({ htm: 'POST' }), verifier);
    await check(forge(ecKey(), header(), claims()), verifier);
    expect(keys).toEqual([]);
    await check(proof({ jti: 'x'.repeat(256) }), verifier);
    expect(keys).toEqual([expect.stringMatching(/^dpop\.[\w-]{43}$/)]);
  });
});

it('a clock that gives no time accepts nothing', async () => {
  const { verifier } = open({ clock: () => Number.NaN });
  expect(await check(proof(), verifier)).toMatchObject({ ok: false });
});
