import type { ApiKeyRecord, ApiKeyStore } from '../api-keys/api-key-store.ts';
import { ownedRecords } from './owned-records.ts';

/**
 * Keeps API keys in memory, for tests, trials and single processes that may forget.
 *
 * @example
 * const store = createMemoryApiKeyStore();
 */
export function createMemoryApiKeyStore(): ApiKeyStore {
  const keys = ownedRecords<ApiKeyRecord>();
  // By record and not by id, so that a key that goes takes its mark along.
  const replaced = new WeakSet<ApiKeyRecord>();

  function change(key: ApiKeyRecord, fields: Partial<ApiKeyRecord>): ApiKeyRecord {
    const changed = frozen({ ...key, ...fields });
    if (replaced.has(key)) replaced.add(changed);
    keys.put(changed);
    return changed;
  }

  // No method awaits anything: each runs from start to end before another one can.
  return {
    async add(key) {
      if (keys.has(key.id)) return false;
      keys.put(frozen(key));
      return true;
    },
    async find(id) {
      return keys.find(id);
    },
    async list(accountId) {
      return keys.list(accountId);
    },
    async replace(id, next, expiresAt, now) {
      const key = keys.find(id);
      if (key === undefined || key.accountId !== next.accountId || replaced.has(key) || keys.has(next.id)) return false;
      const end = key.expiresAt ?? Number.POSITIVE_INFINITY;
      if (end <= now) return false;
      replaced.add(change(key, { expiresAt: Math.min(end, expiresAt) }));
      keys.put(frozen(next));
      return true;
    },
    async touch(id, lastUsedAt) {
      const key = keys.find(id);
      if (key === undefined || (key.lastUsedAt ?? Number.NEGATIVE_INFINITY) >= lastUsedAt) return;
      change(key, { lastUsedAt });
    },
    async remove(accountId, id) {
      return keys.remove(accountId, id);
    },
    async removeAll(accountId) {
      keys.removeAll(accountId);
    },
  };
}

/** A copy that neither the caller nor a reader can change. */
function frozen(key: ApiKeyRecord): ApiKeyRecord {
  return Object.freeze({ ...key, scopes: Object.freeze([...key.scopes]) });
}
