import { checkedFlag, guarded } from './guarded.ts';
import type { OnceStore } from './once-store.ts';

/**
 * Puts a deadline on every call of a store of what may happen once, and checks every answer. Whatever goes
 * wrong is `SERVICE_UNAVAILABLE`, never "for the first time".
 *
 * @param timeoutMs - milliseconds
 */
export function boundedOnceStore(store: OnceStore, timeoutMs: number): OnceStore {
  return {
    once: (key, expiresAt, now) => guarded(async () => checkedFlag(await store.once(key, expiresAt, now)), timeoutMs),
  };
}
