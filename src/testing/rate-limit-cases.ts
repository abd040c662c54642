import assert from 'node:assert/strict';
import type { RateLimitStore } from '../accounts/index.ts';
import { HOSTILE, NOW, parallel } from './parallel.ts';
import { EFFECTIVE_CALLS, parallelWithFaults } from './parallel-with-faults.ts';
import { casesOf, type OpenStore, type StoreCase } from './store-case.ts';

const FROM_1_TO_50: readonly number[] = Array.from({ length: 50 }, (_, index) => index + 1);

/**
 * What every rate limit store has to do.
 *
 * @example
 * for (const { name, run } of rateLimitStoreCases(() => createMemoryRateLimitStore())) runner.test(name, run);
 */
export function rateLimitStoreCases(open: OpenStore<RateLimitStore>): readonly StoreCase[] {
  async function count(store: RateLimitStore, now: number): Promise<number> {
    return (await store.hit('key', 1_000, now)).count;
  }

  return casesOf(open, {
    async 'counts the hits of a window that opens with the first'(store) {
      assert.deepEqual({ ...(await store.hit('key', 1_000, NOW)) }, { count: 1, resetAt: NOW + 1_000 });
      assert.deepEqual({ ...(await store.hit('key', 1_000, NOW + 1)) }, { count: 2, resetAt: NOW + 1_000 });
      assert.deepEqual({ ...(await store.hit('key', 9_999, NOW + 999)) }, { count: 3, resetAt: NOW + 1_000 });
    },
    async 'starts again at the millisecond at which the window ends'(store) {
      await count(store, NOW);
      await count(store, NOW + 500);
      assert.deepEqual({ ...(await store.hit('key', 1_000, NOW + 1_000)) }, { count: 1, resetAt: NOW + 2_000 });
    },
    async 'counts every key by itself'(store) {
      for (const key of HOSTILE) assert.equal((await store.hit(key, 1_000, NOW)).count, 1);
    },
    async 'counts each of 50 parallel hits once'(store) {
      const counts = await parallel(() => count(store, NOW));
      assert.deepEqual(
        counts.sort((a, b) => a - b),
        FROM_1_TO_50,
      );
    },
    async 'reopens an ended window once for 50 parallel hits'(store) {
      for (const now of [NOW, NOW, NOW]) await count(store, now);
      const hits = await parallel(() => store.hit('key', 1_000, NOW + 5_000));
      assert.deepEqual(
        hits.map((hit) => hit.count).sort((a, b) => a - b),
        FROM_1_TO_50,
      );
      assert.ok(hits.every(({ resetAt }) => resetAt === NOW + 6_000));
    },
    async 'takes back each of 50 parallel releases once'(store) {
      await parallel(() => count(store, NOW));
      await count(store, NOW);
      await parallel(() => store.release('key', NOW + 1_000));
      assert.equal(await count(store, NOW), 2);
    },
    async 'never counts below zero'(store) {
      await store.release('key', NOW + 1_000);
      await count(store, NOW);
      for (const resetAt of [NOW + 1_000, NOW + 1_000, NOW + 1_000]) await store.release('key', resetAt);
      assert.equal(await count(store, NOW), 1);
    },
    async 'closes a window with its last hit'(store) {
      await count(store, NOW);
      await store.release('key', NOW + 1_000);
      assert.deepEqual({ ...(await store.hit('key', 1_000, NOW + 400)) }, { count: 1, resetAt: NOW + 1_400 });
    },
    async 'takes a hit back that a later one was faster than'(store) {
      await count(store, NOW + 5);
      const { resetAt } = await store.hit('key', 1_000, NOW);
      await store.release('key', resetAt);
      assert.equal(await count(store, NOW + 6), 2);
    },
    async 'takes no hit back from a later window'(store) {
      await count(store, NOW);
      await count(store, NOW + 2_000);
      await store.release('key', NOW + 1_000);
      assert.equal(await count(store, NOW + 2_001), 2);
    },
    async 'counts every hit that arrives, also when its answer is lost'(store) {
      await parallelWithFaults(store, (failing) => count(failing, NOW));
      assert.equal(await count(store, NOW), EFFECTIVE_CALLS + 1);
    },
  });
}
