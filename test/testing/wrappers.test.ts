import { createMemoryOnceStore } from 'doorward/stores/memory';
import { type Fault, fixedClock, withFaults, withLatency } from 'doorward/testing';
import { describe, expect, it } from 'vitest';

const NOW = 1_000_000_000_000;

describe('fixedClock', () => {
  it('stands still until it is moved, forwards or backwards', () => {
    const clock = fixedClock(NOW);
    expect([clock(), clock()]).toEqual([NOW, NOW]);
    clock.advance(1_000);
    expect(clock()).toBe(NOW + 1_000);
    clock.advance(-2_000);
    expect(clock()).toBe(NOW - 1_000);
  });
});

describe('withLatency', () => {
  it('waits before the call reaches the store, and before it is answered', async () => {
    const steps: string[] = [];
    const store = {
      async once() {
        steps.push('store');
        return true;
      },
    };
    const delay = async () => {
      steps.push('delay');
    };
    expect(await withLatency(store, { delay }).once()).toBe(true);
    expect(steps).toEqual(['delay', 'store', 'delay']);
  });

  it('wraps an instance of a class with private members', async () => {
    class Store {
      readonly #answer = 42;
      async find(): Promise<number> {
        return this.#answer;
      }
    }
    expect(await withLatency(new Store()).find()).toBe(42);
  });
});

describe('withFaults', () => {
  const open = (...faults: (Fault | undefined)[]) => withFaults(createMemoryOnceStore(), () => faults.shift());

  it('fails before anything was done', async () => {
    const store = open('before');
    await expect(store.once('key', NOW + 1, NOW)).rejects.toThrow('once did not reach the store');
    expect(await store.once('key', NOW + 1, NOW)).toBe(true);
  });

  it('fails after everything was done', async () => {
    const store = open('after');
    await expect(store.once('key', NOW + 1, NOW)).rejects.toThrow('the answer of once was lost');
    expect(await store.once('key', NOW + 1, NOW)).toBe(false);
  });

  it('is asked about each call by the name of its method', async () => {
    const asked: string[] = [];
    const store = withFaults(createMemoryOnceStore(), (method) => {
      asked.push(method);
      return undefined;
    });
    expect(await store.once('key', NOW + 1, NOW)).toBe(true);
    expect(asked).toEqual(['once']);
  });
});
