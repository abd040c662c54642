import { randomBytes, sign, X509Certificate } from 'node:crypto';
import { createRemoteTokenVerifier, type RemoteTokenVerifierOptions } from 'doorward/jwks';
import {
  createKeyring,
  createTokenIssuer,
  createTokenVerifier,
  deriveSecret,
  privateKey,
  publicJwks,
  secretKey,
  type TokenKey,
} from 'doorward/tokens';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { eventually } from '../eventually.ts';
import { AUDIENCE, foreignKey, json, jwksOf, type Source, startSource, tokenOf } from '../jwks/source.ts';
import { liveBytes, MB } from '../live-memory.ts';
import { certify } from '../mtls/certificates.ts';
import { processorTime } from '../running-time.ts';
import { clock, ec, encode, forge, goodClaims, hs256, NOW, SECRET } from '../tokens/forge.ts';
import { refusedField } from '../tokens/refused-field.ts';

const { cert } = certify({ subject: [['CN', 'login.example.org']] });
const der = new X509Certificate(cert).raw;

describe('JWT-03 a certificate, which everybody may have', () => {
  it.each([
    ['DER', der],
    ['Base64, as in x5c', der.toString('base64')],
    ['Base64 in lines', der.toString('base64').replace(/.{64}/g, '$&\n')],
    ['hexadecimal', der.toString('hex')],
  ])('is no secret in %s', (_, secret) => {
    expect(refusedField(() => secretKey(secret))).toBe('secret');
    expect(refusedField(() => deriveSecret(Buffer.from(secret), 'csrf'))).toBe('key');
  });
});

describe('KEY-06 a secret to derive from', () => {
  it.each([
    ['zeros', Buffer.alloc(32)],
    ['a pattern', Buffer.from('0123456789abcdef0123456789abcdef')],
    ['words', Buffer.from('changemechangemechangemechangeme')],
  ])('is none when it is made of %s', (_, secret) => {
    expect(refusedField(() => deriveSecret(secret, 'csrf'))).toBe('key');
  });
});

describe('KEY-02 a retired key', () => {
  afterEach(() => vi.restoreAllMocks());

  it('ends by its age too, when the wall clock was set back after it was retired', () => {
    const start = performance.now();
    const monotonic = vi.spyOn(performance, 'now').mockReturnValue(start);
    let now = NOW * 1_000;
    const options = { maxLifetimeSeconds: 1, toleranceSeconds: 0, clock: () => now };
    const older = secretKey(SECRET, { kid: 'older' });
    const keyring = createKeyring({ keys: [{ key: older, state: 'active' }], ...options });
    keyring.announce(secretKey(randomBytes(48), { kid: 'newer' }));
    keyring.promote('newer');
    now -= 86_400_000;
    expect(keyring.keys).toHaveLength(2);
    const restarted = createKeyring({ keys: keyring.entries, ...options, clock });
    monotonic.mockReturnValue(start + 1_050);
    expect(keyring.keys).toEqual([keyring.active]);
    expect(restarted.keys).toEqual([restarted.active]);
  });
});

describe('a verifier over a key set', () => {
  it('comes back from a set that could not be read while it changed', () => {
    const sound: readonly TokenKey[] = [hs256];
    let reads: (readonly TokenKey[] | undefined)[] = [];
    const set = {
      get keys(): readonly TokenKey[] {
        if (reads.length === 0) return sound;
        const keys = reads.shift();
        if (keys === undefined) throw new Error('the set is busy');
        return keys;
      },
    };
    const verifier = createTokenVerifier({ keys: set, clock });
    const token = forge({ alg: 'HS256', typ: 'JWT' }, goodClaims);
    expect(verifier.verify(token)).toMatchObject({ ok: true });
    reads = [[hs256], undefined];
    verifier.verify(token);
    reads = [];
    expect(verifier.verify(token)).toMatchObject({ ok: true });
  });
});

describe('an issuer over a key set', () => {
  it('KEY-02 signs nothing with an active key that was taken out of the keys', () => {
    const other = secretKey(randomBytes(48), { kid: 'other' });
    const set: { keys: readonly TokenKey[]; active: TokenKey } = { keys: [hs256, other], active: hs256 };
    const issuer = createTokenIssuer({ key: set });
    expect(issuer.issue({ sub: 'ada' })).toBeTypeOf('string');
    set.keys = [other];
    for (let i = 0; i < 2; i++) expect(refusedField(() => issuer.issue({ sub: 'ada' }))).toBe('key');
    set.keys = [other, hs256];
    expect(issuer.issue({ sub: 'ada' })).toBeTypeOf('string');
  });
});

describe('DOS-05 what a remembered token keeps in memory', () => {
  const tokens = Array.from({ length: 300 }, (_, i) =>
    forge({ alg: 'HS256', typ: 'JWT' }, { ...goodClaims, sub: `user-${i}` }),
  );
  /** The token as a piece of a long text that nobody else holds. */
  const cut = (token: string): string =>
    Buffer.from(`${'x'.repeat(200_000)}${token}`)
      .toString('latin1')
      .slice(200_000);

  it.each([
    ['first seen', false],
    ['seen again', true],
  ])('is the token, and not the text that it was cut from when it was %s', (_, isKnown) => {
    const verifier = createTokenVerifier({ keys: [hs256], clock, cache: { maxTokens: 400 } });
    for (const token of tokens) expect(verifier.verify(isKnown ? token : `${token} `).ok).toBe(isKnown);
    const before = liveBytes();
    for (const token of tokens) expect(verifier.verify(cut(token)).ok).toBe(true);
    // Of the texts that the tokens were cut from it would be 40 MB and more.
    expect(liveBytes() - before).toBeLessThan(20 * MB);
    expect(verifier.verify(tokens[0]).ok).toBe(true);
  });
});

describe('DOS-04 the JWK Set that everybody may ask for', () => {
  it('costs no more for a secret that is left out of it', async () => {
    const key = privateKey(ec.privateKey, { kid: 'ec' });
    // Begins like DER, which makes it the dearest kind to judge.
    const secret = secretKey(`0${SECRET}`);
    const cost = async (keys: readonly TokenKey[]): Promise<number> => {
      const times: number[] = [];
      for (let round = 0; round < 3; round++) {
        const time = await processorTime(() => {
          for (let i = 0; i < 300; i++) publicJwks(keys);
        });
        times.push(time);
      }
      return Math.min(...times);
    };
    const alone = Math.max(await cost([key]), 10);
    expect(await cost([key, secret])).toBeLessThan(10 * alone);
  });
});

describe('a revocation hook that promises', () => {
  const rejections: unknown[] = [];
  const listen = (reason: unknown) => void rejections.push(reason);
  beforeEach(() => void process.on('unhandledRejection', listen));
  afterEach(() => void process.off('unhandledRejection', listen));

  it('revokes, and does not end the process when its promise is rejected', async () => {
    const isRevoked = async () => {
      throw new Error('the store is down');
    };
    const verifier = createTokenVerifier({ keys: [hs256], clock, isRevoked } as never);
    const token = forge({ alg: 'HS256', typ: 'JWT' }, goodClaims);
    expect(verifier.verify(token)).toEqual({ ok: false, reason: 'revoked' });
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(rejections).toEqual([]);
  });
});

describe('keys of another issuer', () => {
  let source: Source;
  let time = 1_000_000;
  const open: { close(): void }[] = [];
  const verifierOf = (options: Partial<RemoteTokenVerifierOptions> = {}) => {
    const made = createRemoteTokenVerifier({
      issuer: source.origin,
      audience: AUDIENCE,
      monotonicClock: () => time,
      ...options,
    });
    open.push(made);
    return made;
  };
  beforeEach(async () => {
    source = await startSource(json(jwksOf('a', 'b')));
  });
  afterEach(async () => {
    for (const made of open.splice(0)) made.close();
    await source.close();
  });

  it('DOS-06 no more than a thousand wait for keys that became old over night', async () => {
    const verifier = verifierOf();
    await verifier.load();
    time += 3_600_000;
    source.answer = () => undefined;
    const token = tokenOf('a', source.origin);
    const answers = Array.from({ length: 1_200 }, async () => verifier.verify(token));
    verifier.close();
    const settled = await Promise.allSettled(answers);
    const codes = settled.map((answer) => answer.status === 'rejected' && answer.reason.code);
    expect(codes.filter((code) => code === 'SERVICE_BUSY')).toHaveLength(200);
  });

  it('judges no token any more that waited for keys when the verifier was closed', async () => {
    const verifier = verifierOf();
    await verifier.load();
    time += 3_600_000;
    source.answer = () => undefined;
    const answer = verifier.verify(tokenOf('a', source.origin));
    verifier.close();
    await expect(answer).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  });

  it('JWT-16 an ID token for a client that shares its name with the API is refused for its nonce', async () => {
    const verifier = verifierOf({ types: ['JWT'] });
    await verifier.load();
    expect(verifier.verify(tokenOf('a', source.origin, { nonce: 'n' }, 'JWT'))).toEqual({ ok: false, reason: 'type' });
    const older = tokenOf('a', source.origin, { nonce: 'n', typ: 'Bearer' }, 'JWT');
    expect(verifier.verify(older)).toMatchObject({ ok: true });
  });

  it('JWT-16 a token without a type is refused, whatever types are accepted', async () => {
    const verifier = verifierOf({ types: ['JWT', 'at+jwt'] });
    await verifier.load();
    const [, payload = ''] = tokenOf('a', source.origin).split('.');
    for (const typ of [undefined, null, '', 'undefined', 'application/', ['JWT']]) {
      const input = `${encode({ alg: 'ES256', kid: 'a', typ })}.${payload}`;
      const key = { key: foreignKey('a').sign as never, dsaEncoding: 'ieee-p1363' as const };
      const token = `${input}.${sign('sha256', Buffer.from(input), key).toString('base64url')}`;
      expect(verifier.verify(token)).toEqual({ ok: false, reason: 'type' });
    }
  });

  it.each(['127.0.0.1:8443', '[::1]:8443', 'localhost:8443'])(
    'an issuer elsewhere cannot send us to this machine by https either: %s',
    async (host) => {
      const issuer = 'https://login.example.org';
      const asked: string[] = [];
      const fetch = async (url: string): Promise<Response> => {
        asked.push(url);
        return Response.json(url.endsWith('/jwks') ? jwksOf('a') : { issuer, jwks_uri: `https://${host}/jwks` });
      };
      await expect(verifierOf({ issuer, fetch }).load()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
      expect(asked).toEqual([`${issuer}/.well-known/openid-configuration`]);
      await verifierOf({ issuer, fetch, url: `https://${host}/jwks` }).load();
    },
  );

  it.each([1, 2, 3, 4, 5, 6, 7, 8])('a clock that throws once, at call %d, breaks nothing for good', async (nth) => {
    const unhandled: unknown[] = [];
    const listen = (reason: unknown) => void unhandled.push(reason);
    process.on('unhandledRejection', listen);
    let calls = Number.NEGATIVE_INFINITY;
    const monotonicClock = (): number => {
      if (++calls === nth) throw new Error('no clock');
      return time;
    };
    const verifier = verifierOf({ monotonicClock });
    await verifier.load();
    time += 700_000;
    calls = 0;
    const token = tokenOf('b', source.origin);
    const verify = async () => verifier.verify(token);
    const settle = () => new Promise((resolve) => setTimeout(resolve, 20));
    for (let i = 0; i < 4; i++) await verify().catch(() => undefined);
    await settle();
    source.answer = json(jwksOf('a'));
    // Asked again with time, for an attempt that began before may have got the answer before.
    await eventually(async () => {
      time += 700_000;
      await verify();
      expect(await verify()).toEqual({ ok: false, reason: 'unknown_key' });
    });
    process.off('unhandledRejection', listen);
    expect(unhandled).toEqual([]);
  });

  it('an age that the pause between two attempts does not allow is refused, not ignored', () => {
    expect(refusedField(() => verifierOf({ maxAgeSeconds: 10 }))).toBe('maxAgeSeconds');
    expect(refusedField(() => verifierOf({ cooldownSeconds: 601 }))).toBe('maxAgeSeconds');
    verifierOf({ maxAgeSeconds: 10, cooldownSeconds: 10 });
  });
});
