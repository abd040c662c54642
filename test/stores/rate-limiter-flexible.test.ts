import { createAccounts } from 'doorward/accounts';
import { createMemoryAccountStore, createMemorySessionStore } from 'doorward/stores/memory';
import { createRateLimiterFlexibleStore } from 'doorward/stores/rate-limiter-flexible';
import { createTokenIssuer, createTokenVerifier, secretKey } from 'doorward/tokens';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { describe, expect, it } from 'vitest';

// The limiter's own numbers would refuse the second hit, and forget it after a second.
const open = () => createRateLimiterFlexibleStore(new RateLimiterMemory({ points: 1, duration: 1, blockDuration: 9 }));
const now = () => Date.now();

describe('a rate limit store over rate-limiter-flexible', () => {
  it('counts each of 1,000 parallel hits once', async () => {
    const limits = open();
    const hits = await Promise.all(Array.from({ length: 1_000 }, () => limits.hit('key', 900_000, now())));
    expect(hits.map(({ count }) => count).sort((a, b) => a - b)).toEqual(hits.map((_, index) => index + 1));
    for (const { resetAt } of hits) {
      expect(resetAt).toBeGreaterThan(now() + 800_000);
      expect(resetAt).toBeLessThanOrEqual(now() + 900_000);
    }
  });

  it('takes back each of 500 parallel releases once', async () => {
    const limits = open();
    const hits = await Promise.all(Array.from({ length: 1_000 }, () => limits.hit('key', 900_000, now())));
    await Promise.all(hits.slice(0, 500).map(({ resetAt }) => limits.release('key', resetAt)));
    expect((await limits.hit('key', 900_000, now())).count).toBe(501);
  });

  it('counts every key by itself', async () => {
    const limits = open();
    for (const key of ['a', 'A', 'a ', '__proto__', 'constructor']) {
      expect((await limits.hit(key, 900_000, now())).count).toBe(1);
    }
  });

  it('never gives credit, however often and however late a hit is taken back', async () => {
    const limits = open();
    const { resetAt } = await limits.hit('key', 900_000, now());
    await Promise.all(Array.from({ length: 50 }, () => limits.release('key', resetAt)));
    await Promise.all(Array.from({ length: 50 }, () => limits.release('never hit', resetAt)));
    expect((await limits.hit('key', 900_000, now())).count).toBe(1);
    expect((await limits.hit('never hit', 900_000, now())).count).toBe(1);
  });

  it('takes no hit back whose window has ended', async () => {
    let time = 1_000_000;
    const limits = createRateLimiterFlexibleStore(new RateLimiterMemory({ points: 1, duration: 1 }), {
      clock: () => time,
    });
    const { resetAt } = await limits.hit('key', 900_000, time);
    time += 900_000;
    await limits.release('key', resetAt);
    expect((await limits.hit('key', 900_000, time)).count).toBe(2);
  });

  it('passes on that the limiter failed', async () => {
    const failing = async () => {
      throw new Error('connection lost');
    };
    const limits = createRateLimiterFlexibleStore({ penalty: failing, reward: failing });
    await expect(limits.hit('key', 900_000, now())).rejects.toThrow('connection lost');
    await expect(limits.release('key', now() + 1_000)).rejects.toThrow('connection lost');
  });

  it.each([undefined, null, {}, { penalty: () => undefined }])('refuses %o as a limiter', (limiter) => {
    expect(() => createRateLimiterFlexibleStore(limiter as never)).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', field: 'limiter' }),
    );
  });

  it('LOG-19 lets 10 of 1,000 parallel guesses reach the hasher', async () => {
    let hashed = 0;
    const key = secretKey('kE2v9pXr7QmZt4Ls8WnYb3Hd6Jc1Gf5A');
    const accounts = createAccounts({
      store: createMemoryAccountStore(),
      sessions: createMemorySessionStore(),
      limits: open(),
      hasher: {
        hash: async () => '$2b$04$......................aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
        verify: async () => {
          hashed += 1;
          return false;
        },
        needsRehash: () => false,
        close: async () => undefined,
      } as never,
      issuer: createTokenIssuer({ key }),
      verifier: createTokenVerifier({ keys: [key] }),
      roles: ['viewer'],
      loginMaxFailures: 10,
    });
    await accounts.register({ username: 'ada', password: 'a good passphrase', email: 'ada@example.org' });
    const guess = () =>
      accounts.login({ username: 'ada', password: 'a wrong passphrase' }).catch((error) => error.code);
    const codes = await Promise.all(Array.from({ length: 1_000 }, guess));
    expect(hashed).toBe(10);
    expect(codes.filter((code) => code === 'AUTH_INVALID_CREDENTIALS')).toHaveLength(10);
    expect(codes.filter((code) => code === 'HTTP_TOO_MANY_REQUESTS')).toHaveLength(990);
  });
});
