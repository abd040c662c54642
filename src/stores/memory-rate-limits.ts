import type { RateLimitStore } from '../accounts/index.ts';
import { configInvalid } from '../core/config-invalid.ts';

export interface MemoryRateLimitStoreOptions {
  /** Counters kept at most. The half of them that were hit last are never forgotten. @default 100000 */
  readonly maxKeys?: number;
}

interface Window {
  count: number;
  readonly resetAt: number;
}

/**
 * Keeps counters in memory, of this process only and in bounded space.
 *
 * @throws `CONFIG_INVALID` when `maxKeys` is not a whole number of at least 2.
 * @example
 * const limits = createMemoryRateLimitStore();
 */
export function createMemoryRateLimitStore(options: MemoryRateLimitStoreOptions = {}): RateLimitStore {
  const { maxKeys = 100_000 } = options;
  if (!Number.isSafeInteger(maxKeys) || maxKeys < 2) {
    throw configInvalid('maxKeys', 'must be a whole number of at least 2');
  }
  // Two generations: when the young one is full it becomes the old one, and what was old and not hit
  // since is gone. Unlike a list in the order of use, this costs the same at every size.
  const generationSize = Math.floor(maxKeys / 2);
  let young = new Map<string, Window>();
  let old = young;

  const find = (key: string): Window | undefined => young.get(key) ?? old.get(key);

  function keep(key: string, window: Window): void {
    if (!young.has(key) && young.size >= generationSize) {
      old = young;
      young = new Map();
    }
    young.set(key, window);
  }

  // No method awaits anything: each runs from start to end before another one can.
  return {
    async hit(key, windowMs, now) {
      const known = find(key);
      const isOpen = known !== undefined && known.resetAt > now;
      const window = isOpen ? known : { count: 0, resetAt: now + windowMs };
      window.count += 1;
      keep(key, window);
      return { count: window.count, resetAt: window.resetAt };
    },
    async release(key, resetAt) {
      const window = find(key);
      if (window?.resetAt !== resetAt) return;
      window.count -= 1;
      if (window.count > 0) return;
      young.delete(key);
      old.delete(key);
    },
  };
}
