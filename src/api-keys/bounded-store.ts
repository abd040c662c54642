import { checkedFlag, guarded } from '../core/guarded.ts';
import type { ApiKeyRecord, ApiKeyStore } from './api-key-store.ts';
import { readRecord } from './read-record.ts';

/**
 * Puts a deadline on every call of a store and checks every answer: a database may compare more loosely than
 * we do. Whatever goes wrong is `SERVICE_UNAVAILABLE`, never "no such key".
 *
 * @param timeoutMs - milliseconds
 */
export function boundedApiKeyStore(store: ApiKeyStore, timeoutMs: number): ApiKeyStore {
  const flag = (call: () => Promise<unknown>): Promise<boolean> =>
    guarded(async () => checkedFlag(await call()), timeoutMs);
  return {
    add: (key) => flag(() => store.add(key)),
    find: (id) =>
      guarded(async () => {
        const found = readRecord(await store.find(id));
        return found === undefined || found.id === id ? found : wrong('returned another key');
      }, timeoutMs),
    list: (accountId) => guarded(async () => readList(await store.list(accountId), accountId), timeoutMs),
    replace: (id, next, expiresAt, now) => flag(() => store.replace(id, next, expiresAt, now)),
    touch: (id, lastUsedAt) => guarded(async () => store.touch(id, lastUsedAt), timeoutMs),
    remove: (accountId, id) => flag(() => store.remove(accountId, id)),
    removeAll: (accountId) => guarded(async () => store.removeAll(accountId), timeoutMs),
  };
}

function readList(answer: unknown, accountId: string): readonly ApiKeyRecord[] {
  if (!Array.isArray(answer)) return wrong('did not answer with a list');
  return Array.from(answer, (item: unknown) => {
    const record = readRecord(item);
    return record?.accountId === accountId ? record : wrong('returned a key of another account');
  });
}

function wrong(what: string): never {
  throw new Error(`the API key store ${what}`);
}
