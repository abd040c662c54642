import type { SessionRecord } from 'doorward/accounts';
import { createMemorySessionStore } from 'doorward/stores/memory';
import { describe, expect, it } from 'vitest';

const NOW = 1_790_000_000_000;
const MANY = 100_000;

function session(fields: Partial<SessionRecord>): SessionRecord {
  const times = { authTime: NOW / 1_000, startedAt: NOW, endsAt: NOW + 60_000 };
  return { id: 'id', accountId: 'account', amr: ['pwd'], acr: 'aal1', ...times, ...fields };
}

/** The longest of some calls, in milliseconds, without the slowest few: those are the collector's. */
async function slowest(calls: number, call: (index: number) => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let index = 0; index < calls; index += 1) {
    const start = performance.now();
    await call(index);
    times.push(performance.now() - start);
  }
  return times.sort((a, b) => a - b)[Math.floor(calls * 0.99)] ?? 0;
}

describe('DOS-14 the memory session store', () => {
  it('finds, revokes and starts as fast beside 100,000 ended entries as without, and forgets them in slices', async () => {
    const store = createMemorySessionStore();
    for (let i = 0; i < MANY; i += 1) {
      await store.revokeToken(`token-${i}`, NOW + 1, NOW);
      await store.start(session({ id: `id-${i}`, accountId: `account-${i % 1_000}` }), {
        hash: `hash-${i}`,
        idleUntil: NOW + 60_000,
      });
    }
    const later = NOW + 120_000;
    const fresh = (index: number) =>
      session({ id: `fresh-${index}`, accountId: 'fresh', startedAt: later, endsAt: later + 60_000 });
    const longest = Math.max(
      await slowest(1_000, (i) => store.find(`id-${i}`, `token-${i}`, later)),
      await slowest(1_000, (i) => store.revokeToken(`later-${i}`, later + 1, later)),
      await slowest(1_000, (i) => store.start(fresh(i))),
      await slowest(1_000, (i) => store.findByRefreshToken(`hash-${i}`, later)),
      await slowest(1_000, () => store.list('account-1', later)),
    );
    expect(longest).toBeLessThan(5);
  }, 120_000);

  it('keeps no account, session or token that has ended once as many have been started since', async () => {
    const store = createMemorySessionStore();
    for (let index = 0; index < 2_000; index += 1) {
      const times = { startedAt: NOW + index, endsAt: NOW + index + 1 };
      const fields = { id: `id-${index}`, accountId: `account-${index}`, ...times };
      await store.start(session(fields), { hash: `hash-${index}`, idleUntil: times.endsAt });
    }
    // Asked at a time at which none of them had ended, the store tells which it still holds.
    const hashes = Array.from({ length: 2_000 }, (_, index) => `hash-${index}`);
    const found = await Promise.all(hashes.map((hash) => store.findByRefreshToken(hash, NOW)));
    const kept = found.filter((record) => record !== undefined);
    expect(kept.length).toBeLessThan(500);
  });

  it('does not end a session early, nor revive one whose id is used again', async () => {
    const store = createMemorySessionStore();
    await store.start(session({ id: 'long', endsAt: NOW + 1e9 }), { hash: 'long', idleUntil: NOW + 1e9 });
    for (let index = 0; index < 500; index += 1)
      await store.start(session({ id: `id-${index}`, startedAt: NOW + 70_000 }));
    expect((await store.findByRefreshToken('long', NOW + 70_000))?.session.id).toBe('long');
    await store.end('long');
    await store.start(session({ id: 'long', endsAt: NOW + 1e9 }));
    expect(await store.findByRefreshToken('long', NOW)).toBeUndefined();
    await expect(store.start(session({ id: 'long' }))).rejects.toThrow('used twice');
  });

  it('swaps no token of an ended session, also one that has not been swept away yet', async () => {
    const store = createMemorySessionStore();
    const endsAt = NOW + 60_000;
    for (let index = 0; index < 500; index += 1) {
      await store.start(session({ id: `id-${index}`, endsAt: NOW + 1e9 }), { hash: `${index}`, idleUntil: NOW + 1e9 });
    }
    const swap = (hash: string, now: number) => {
      const successor = { hash: `${hash} next`, idleUntil: NOW + 1e9 };
      return store.rotate({ hash, successor, sealedSuccessor: '', graceMs: 10_000, now });
    };
    for (const id of ['ended', 'late']) await store.start(session({ id, endsAt }), { hash: id, idleUntil: NOW + 1e9 });
    await store.end('ended');
    expect(await swap('ended', NOW)).toEqual({ kind: 'refused' });
    expect(await swap('late', endsAt)).toEqual({ kind: 'refused' });
    expect(await swap('late', endsAt - 1)).toMatchObject({ kind: 'rotated' });
  });
});
