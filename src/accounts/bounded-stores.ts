import { checkedFlag, guarded } from '../core/guarded.ts';
import { isAccountId } from '../core/identifiers.ts';
import { readAccount } from './account-record.ts';
import type { AccountStore, Hits, RateLimitStore } from './ports.ts';

/**
 * Puts a deadline on every call of an account store and checks every answer. Whatever goes wrong is
 * `SERVICE_UNAVAILABLE`, never "no such account".
 *
 * @param timeoutMs - milliseconds
 */
export function boundedAccountStore(store: AccountStore, timeoutMs: number): AccountStore {
  const flag = (call: () => Promise<unknown>): Promise<boolean> =>
    guarded(async () => checkedFlag(await call()), timeoutMs);
  /** The account that was asked for: a database may compare more loosely than we do. */
  const account = (call: () => Promise<unknown>, key: 'id' | 'usernameKey', value: string) =>
    guarded(async () => {
      const found = readAccount(await call());
      if (found !== undefined && found[key] !== value) throw new Error('the account store returned another account');
      return found;
    }, timeoutMs);
  return {
    async create(created) {
      const adding = (async () => checkedFlag(await store.create(created)))();
      return guarded(() => adding, timeoutMs).catch((error: unknown) => {
        // Whoever asked is told that it failed: an account that comes after that would keep its username for nobody.
        adding.then((isAdded) => isAdded && store.remove(created.id)).catch(() => undefined);
        throw error;
      });
    },
    byUsernameKey: (usernameKey) => account(() => store.byUsernameKey(usernameKey), 'usernameKey', usernameKey),
    byId: async (id) => (isAccountId(id) ? account(() => store.byId(id), 'id', id) : undefined),
    update: async (id, patch) => (isAccountId(id) ? account(() => store.update(id, patch), 'id', id) : undefined),
    replacePasswordHash: (id, expected, next) => flag(() => store.replacePasswordHash(id, expected, next)),
    remove: async (id) => isAccountId(id) && flag(() => store.remove(id)),
  };
}

/** The same for a rate limit store. */
export function boundedRateLimitStore(store: RateLimitStore, timeoutMs: number): RateLimitStore {
  return {
    hit: (key, windowMs, now) => guarded(async () => checkedHits(await store.hit(key, windowMs, now)), timeoutMs),
    release: (key, resetAt) => guarded(async () => store.release(key, resetAt), timeoutMs),
  };
}

function checkedHits(hits: Hits): Hits {
  const { count, resetAt } = hits;
  if (Number.isSafeInteger(count) && count >= 1 && Number.isFinite(resetAt)) return { count, resetAt };
  throw new Error('the rate limit store did not count the hit');
}
