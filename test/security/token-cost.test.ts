import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { createTokenVerifier } from 'doorward/tokens';
import { describe, expect, it } from 'vitest';
import { clock, encode, forge, goodClaims, hs256, keys, rsa, SECRET, withClaims } from '../tokens/forge.ts';

/** The lengths of what is compared in constant time while `act` runs; the comparison itself is the real one. */
function comparisonsDuring(act: () => void): number[][] {
  const { timingSafeEqual } = crypto;
  const lengths: number[][] = [];
  crypto.timingSafeEqual = (a, b) => {
    lengths.push([a.byteLength, b.byteLength]);
    return timingSafeEqual(a, b);
  };
  syncBuiltinESMExports();
  try {
    act();
  } finally {
    crypto.timingSafeEqual = timingSafeEqual;
    syncBuiltinESMExports();
  }
  return lengths;
}

/** Milliseconds of one call in the best of some batches: a busy machine makes batches worse, never better. */
function bestOf(batches: number, calls: number, act: () => void): number {
  const times = Array.from({ length: batches }, () => {
    const before = performance.now();
    for (let i = 0; i < calls; i++) act();
    return (performance.now() - before) / calls;
  });
  return Math.min(...times);
}

describe('a wrong MAC', () => {
  const good = withClaims({});
  const start = good.lastIndexOf('.') + 1;

  it('TIM-03 is compared as a whole and in constant time, however much of it is right', () => {
    const verifier = createTokenVerifier({ keys: [hs256], clock });
    for (let right = 0; right < 43; right++) {
      const at = start + right;
      const wrong = good.slice(0, at) + (good[at] === 'A' ? 'B' : 'A') + good.slice(at + 1);
      const compared = comparisonsDuring(() => expect(verifier.verify(wrong).ok).toBe(false));
      expect(compared).toEqual([[43, 43]]);
    }
  });

  it('TIM-03 is compared so beside a cache that knows the right one', () => {
    const verifier = createTokenVerifier({ keys: [hs256], clock, cache: { maxTokens: 10 } });
    expect(verifier.verify(good).ok).toBe(true);
    const wrong = `${good.slice(0, -3)}AAA`;
    expect(comparisonsDuring(() => expect(verifier.verify(wrong).ok).toBe(false))).toEqual([[43, 43]]);
  });
});

describe('a refusal', () => {
  const full = (alg: string) => {
    const room = Math.floor(((8_192 - 450) / 4) * 3) - 100;
    return forge({ alg, typ: 'JWT' }, { ...goodClaims, pad: 'x'.repeat(room) }, 'another secret');
  };

  // Not ES256: on slow machines the bare arithmetic of node:crypto takes longer than that.
  it.each(['HS256', 'RS256', 'PS256'] as const)(
    'DOS-04 of a token of nearly 8 KiB with a wrong %s signature takes under 0.1 ms',
    (alg) => {
      const verifier = createTokenVerifier({ keys: [keys[alg]], clock });
      const [header, payload = ''] = full(alg).split('.');
      const token = `${header}.${payload}.${signatureFor(alg)}`;
      expect(token.length).toBeGreaterThan(7_500);
      expect(verifier.verify(token)).toEqual({ ok: false, reason: 'signature' });
      const ms = bestOf(200, 5, () => verifier.verify(token));
      // Where the signature alone takes so long, the machine is slow, and not the verifier.
      const bare = bestOf(200, 5, bareCheck(alg, token));
      expect(ms).toBeLessThan(Math.max(0.1, 2 * bare));
    },
  );

  it('DOS-05 JWT-29 of 10 MB takes under 0.1 ms, and no more than that of 8,193 characters', () => {
    const verifier = createTokenVerifier({ keys: [hs256], clock, cache: { maxTokens: 10 } });
    for (const length of [8_193, 10_000_000]) {
      const token = 'a'.repeat(length);
      expect(bestOf(200, 5, () => verifier.verify(token))).toBeLessThan(0.1);
    }
  });

  it('JWT-27 of a compressed or encrypted token decrypts and inflates nothing', () => {
    const verifier = createTokenVerifier({ keys: [hs256], clock });
    const bomb = encode(crypto.randomBytes(3_000));
    for (const header of [
      { alg: 'PBES2-HS256+A128KW', enc: 'A128GCM', p2c: 2_147_483_647, p2s: 'AAAA' },
      { alg: 'dir', enc: 'A256GCM', zip: 'DEF' },
    ]) {
      const tokens = [`${encode(header)}.AAAA.AAAAAAAAAAAAAAAA.${bomb}.AAAA`, `${encode(header)}.${bomb}.AAAA`];
      for (const token of tokens) {
        expect(verifier.verify(token).ok).toBe(false);
        expect(bestOf(10, 10, () => verifier.verify(token))).toBeLessThan(1);
      }
    }
  });
});

/** What node:crypto does about that signature, and nothing else. */
function bareCheck(alg: 'HS256' | 'RS256' | 'PS256', token: string): () => void {
  const end = token.lastIndexOf('.');
  const input = Buffer.from(token.slice(0, end));
  const signature = Buffer.from(token.slice(end + 1), 'base64url');
  if (alg === 'HS256') return () => void crypto.createHmac('sha256', SECRET).update(input).digest();
  const pss = { padding: crypto.constants.RSA_PKCS1_PSS_PADDING, saltLength: crypto.constants.RSA_PSS_SALTLEN_DIGEST };
  const key = alg === 'PS256' ? { key: rsa.publicKey, ...pss } : rsa.publicKey;
  return () => void crypto.verify('sha256', input, key, signature);
}

/** A signature of the right length over something else. */
function signatureFor(alg: string): string {
  return crypto.randomBytes(alg === 'HS256' ? 32 : 256).toString('base64url');
}
