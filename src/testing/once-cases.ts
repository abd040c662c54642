import assert from 'node:assert/strict';
import type { OnceStore } from '../core/once-store.ts';
import { granted, HOSTILE, NOW, parallel } from './parallel.ts';
import { parallelWithFaults } from './parallel-with-faults.ts';
import { casesOf, type OpenStore, type StoreCase } from './store-case.ts';

/**
 * What every once store has to do.
 *
 * @example
 * for (const { name, run } of onceStoreCases(() => createMemoryOnceStore())) runner.test(name, run);
 */
export function onceStoreCases(open: OpenStore<OnceStore>): readonly StoreCase[] {
  return casesOf(open, {
    async 'grants a key once'(store) {
      assert.equal(await store.once('key', NOW + 1_000, NOW), true);
      assert.equal(await store.once('key', NOW + 1_000, NOW), false);
      assert.equal(await store.once('key', NOW + 9_000, NOW + 999), false);
    },
    async 'grants one of 50 parallel calls with one key'(store) {
      assert.equal(granted(await parallel(() => store.once('key', NOW + 1_000, NOW))), 1);
      assert.equal(await store.once('key', NOW + 1_000, NOW), false);
    },
    async 'grants 50 parallel calls with 50 keys'(store) {
      assert.equal(granted(await parallel((index) => store.once(`key-${index}`, NOW + 1_000, NOW))), 50);
    },
    async 'tells every key from every other'(store) {
      for (const key of HOSTILE) assert.equal(await store.once(key, NOW + 1_000, NOW), true);
      for (const key of HOSTILE) assert.equal(await store.once(key, NOW + 1_000, NOW), false);
    },
    async 'remembers a key of 256 characters to the last one'(store) {
      assert.equal(await store.once(`${'k'.repeat(255)}a`, NOW + 1_000, NOW), true);
      assert.equal(await store.once(`${'k'.repeat(255)}b`, NOW + 1_000, NOW), true);
      assert.equal(await store.once(`${'k'.repeat(255)}a`, NOW + 1_000, NOW), false);
    },
    async 'forgets a key at the millisecond at which it expires, and no repetition changes when'(store) {
      await store.once('key', NOW + 1_000, NOW);
      await store.once('key', NOW + 9_000, NOW + 1);
      await store.once('key', NOW + 2, NOW + 1);
      assert.equal(await store.once('key', NOW + 9_000, NOW + 999), false);
      assert.equal(await store.once('key', NOW + 9_000, NOW + 1_000), true);
      assert.equal(await store.once('key', NOW + 9_000, NOW + 1_001), false);
    },
    async 'grants an expired key to one of 50 parallel calls'(store) {
      await store.once('key', NOW + 1_000, NOW);
      assert.equal(granted(await parallel(() => store.once('key', NOW + 9_000, NOW + 1_000))), 1);
    },
    async 'never grants a key that it would forget at once'(store) {
      for (const expiresAt of [NOW, NOW - 1, 0, Number.NaN]) {
        assert.equal(await store.once('key', expiresAt, NOW), false);
      }
      assert.equal(await store.once('key', NOW + 1, NOW), true);
    },
    async 'grants a key at most once when calls and answers are lost'(store) {
      const answers = await parallelWithFaults(store, (failing) => failing.once('key', NOW + 1_000, NOW));
      assert.ok(granted(answers) <= 1);
      assert.equal(await store.once('key', NOW + 1_000, NOW), false);
    },
  });
}
