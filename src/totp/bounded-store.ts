import { checkedFlag, guarded } from '../core/guarded.ts';
import { ownProperty } from '../core/own-property.ts';
import type { TotpRecord, TotpStore } from './totp-store.ts';

/**
 * Puts a deadline on every call of the store and checks every answer. Whatever goes wrong is
 * `SERVICE_UNAVAILABLE`, never "not enrolled".
 *
 * @param timeoutMs - milliseconds
 */
export function boundedTotpStore(store: TotpStore, timeoutMs: number): TotpStore {
  const flag = (call: () => Promise<unknown>): Promise<boolean> =>
    guarded(async () => checkedFlag(await call()), timeoutMs);
  return {
    find: (accountId) => guarded(async () => checkedRecord(await store.find(accountId), accountId), timeoutMs),
    enrol: (record) => flag(() => store.enrol(record)),
    confirm: (accountId, sealed, hashes) => flag(() => store.confirm(accountId, sealed, hashes)),
    takeRecovery: (accountId, hash) => flag(() => store.takeRecovery(accountId, hash)),
    replaceRecovery: (accountId, hashes) => flag(() => store.replaceRecovery(accountId, hashes)),
    remove: (accountId) => flag(() => store.remove(accountId)),
  };
}

function checkedRecord(answer: unknown, accountId: string): TotpRecord | undefined {
  if (answer === undefined) return undefined;
  const sealedSecret = ownProperty(answer, 'sealedSecret');
  const confirmed = ownProperty(answer, 'confirmed');
  const hashes = ownProperty(answer, 'recoveryHashes');
  if (ownProperty(answer, 'accountId') !== accountId || typeof sealedSecret !== 'string') throw unreadable();
  if (typeof confirmed !== 'boolean' || !Array.isArray(hashes)) throw unreadable();
  return { accountId, sealedSecret, confirmed, recoveryHashes: hashes.filter((hash) => typeof hash === 'string') };
}

function unreadable(): Error {
  return new Error('the store did not return the enrolment of this account');
}
