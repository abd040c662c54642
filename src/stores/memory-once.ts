import { configInvalid } from '../core/config-invalid.ts';
import { DoorwardError } from '../core/errors.ts';
import type { OnceStore } from '../core/once-store.ts';
import { assertOnceKey } from './once-key.ts';
import { createSweep } from './sweep.ts';

export interface MemoryOnceStoreOptions {
  /** Keys remembered at most; while all of them are in force, no further one is taken. @default 100000 */
  readonly maxKeys?: number;
}

/** Slices that a call looks at while the store is full. */
const SLICES_WHEN_FULL = 4;

/**
 * Remembers used keys in memory, of this process only and in bounded space. A full store refuses: to
 * forget a key that is still in force would let somebody use it twice. A key that would be forgotten at
 * once, because it expires at or before `now`, is never granted.
 *
 * @throws `CONFIG_INVALID` when `maxKeys` is not a whole number of at least 1. The `once` of the store
 * throws `SERVICE_BUSY` while it is full, and `INPUT_INVALID` for a key of more than 256 characters.
 * @example
 * const once = createMemoryOnceStore({ maxKeys: 1_000_000 });
 */
export function createMemoryOnceStore(options: MemoryOnceStoreOptions = {}): OnceStore {
  const { maxKeys = 100_000 } = options;
  if (!Number.isSafeInteger(maxKeys) || maxKeys < 1) {
    throw configInvalid('maxKeys', 'must be a whole number of at least 1');
  }
  const expiries = new Map<string, number>();
  const sweep = createSweep(expiries, (expiresAt, now, key) => {
    if (expiresAt <= now) expiries.delete(key);
  });

  // Nothing is awaited: each call runs from start to end before another one can.
  return {
    async once(key, expiresAt, now) {
      assertOnceKey(key);
      // Written so that an expiry that is no number is refused, too.
      if (!(expiresAt > now)) return false;
      const known = expiries.get(key);
      if (known !== undefined && known > now) return false;
      if (known !== undefined) expiries.delete(key);
      sweep(now);
      for (let slice = 1; expiries.size >= maxKeys && slice < SLICES_WHEN_FULL; slice += 1) sweep(now);
      if (expiries.size >= maxKeys) throw new DoorwardError('SERVICE_BUSY', { retryAfterSeconds: 1 });
      expiries.set(key, expiresAt);
      return true;
    },
  };
}
