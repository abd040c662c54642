import { checkedFlag, guarded } from '../core/guarded.ts';
import { ownProperty } from '../core/own-property.ts';
import type { PasskeyRecord, PasskeyStore } from './passkey-store.ts';

/**
 * Puts a deadline on every call of the store and checks every answer. Whatever goes wrong is
 * `SERVICE_UNAVAILABLE`, never "no such passkey".
 *
 * @param timeoutMs - milliseconds
 */
export function boundedPasskeyStore(store: PasskeyStore, timeoutMs: number): PasskeyStore {
  const flag = (call: () => Promise<unknown>): Promise<boolean> =>
    guarded(async () => checkedFlag(await call()), timeoutMs);
  return {
    add: (passkey) => flag(() => store.add(passkey)),
    find: (id) =>
      guarded(async () => {
        const answer: unknown = await store.find(id);
        return answer === undefined ? undefined : checkedRecord(answer, 'id', id);
      }, timeoutMs),
    list: (accountId) =>
      guarded(async () => {
        const answers: unknown = await store.list(accountId);
        if (!Array.isArray(answers)) throw unreadable();
        return answers.map((answer) => checkedRecord(answer, 'accountId', accountId));
      }, timeoutMs),
    count: (id, expected, counter) => flag(() => store.count(id, expected, counter)),
    remove: (accountId, id) => flag(() => store.remove(accountId, id)),
    removeAll: (accountId) => guarded(async () => store.removeAll(accountId), timeoutMs),
  };
}

/** The record that was asked for: a database may compare more loosely than we do. */
function checkedRecord(answer: unknown, key: 'id' | 'accountId', value: string): PasskeyRecord {
  const text = (name: string): string => {
    const found = ownProperty(answer, name);
    if (typeof found !== 'string') throw unreadable();
    return found;
  };
  const number = (name: string): number => {
    const found = ownProperty(answer, name);
    if (!Number.isSafeInteger(found)) throw unreadable();
    return found as number;
  };
  const flag = (name: string): boolean => checkedFlag(ownProperty(answer, name));
  const transports = ownProperty(answer, 'transports');
  if (text(key) !== value || !Array.isArray(transports)) throw unreadable();
  return {
    id: text('id'),
    accountId: text('accountId'),
    publicKey: text('publicKey'),
    counter: number('counter'),
    transports: transports.filter((transport) => typeof transport === 'string'),
    backedUp: flag('backedUp'),
    userVerified: flag('userVerified'),
    label: text('label'),
    createdAt: number('createdAt'),
  };
}

function unreadable(): Error {
  return new Error('the store did not return the passkeys that were asked for');
}
