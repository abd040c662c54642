import { DoorwardError, withDeadline } from '../core/index.ts';
import { readAccount } from './account-record.ts';
import type { AccountStore, Hits, RateLimitStore } from './ports.ts';

const MAX_ID_LENGTH = 256;

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
    create: (created) => flag(() => store.create(created)),
    byUsernameKey: (usernameKey) => account(() => store.byUsernameKey(usernameKey), 'usernameKey', usernameKey),
    byId: async (id) => (isId(id) ? account(() => store.byId(id), 'id', id) : undefined),
    update: async (id, patch) => (isId(id) ? account(() => store.update(id, patch), 'id', id) : undefined),
    remove: async (id) => isId(id) && flag(() => store.remove(id)),
  };
}

/** The same for a rate limit store. */
export function boundedRateLimitStore(store: RateLimitStore, timeoutMs: number): RateLimitStore {
  return {
    hit: (key, windowMs, now) => guarded(async () => checkedHits(await store.hit(key, windowMs, now)), timeoutMs),
    release: (key, resetAt) => guarded(async () => store.release(key, resetAt), timeoutMs),
  };
}

/** Runs a call of the outside world; late, throwing and rejecting become the same error. */
export async function guarded<T>(call: () => Promise<T>, timeoutMs: number): Promise<T> {
  try {
    return await withDeadline(call(), timeoutMs, () => new Error(`no answer within ${timeoutMs} ms`));
  } catch (cause) {
    throw new DoorwardError('SERVICE_UNAVAILABLE', { cause });
  }
}

/** Databases refuse NUL and lone surrogates with an error; no account has such an id. */
function isId(id: unknown): boolean {
  return typeof id === 'string' && id.length <= MAX_ID_LENGTH && !/[\0\p{Surrogate}]/u.test(id);
}

function checkedFlag(answer: unknown): boolean {
  if (typeof answer !== 'boolean') throw new Error('the account store did not answer with a boolean');
  return answer;
}

function checkedHits(hits: Hits): Hits {
  const { count, resetAt } = hits;
  if (Number.isSafeInteger(count) && count >= 1 && Number.isFinite(resetAt)) return { count, resetAt };
  throw new Error('the rate limit store did not count the hit');
}
