import type { TotpRecord, TotpStore } from '../totp/totp-store.ts';

/**
 * Keeps TOTP enrolments in memory, at most one an account, for tests, trials and single processes that may
 * forget.
 *
 * @example
 * const store = createMemoryTotpStore();
 */
export function createMemoryTotpStore(): TotpStore {
  const records = new Map<string, TotpRecord>();

  // No method awaits anything: each runs from start to end before another one can.
  return {
    async find(accountId) {
      return records.get(accountId);
    },
    async enrol(record) {
      if (records.get(record.accountId)?.confirmed === true) return false;
      records.set(record.accountId, frozen({ ...record, confirmed: false }));
      return true;
    },
    async confirm(accountId, sealedSecret, recoveryHashes) {
      const record = records.get(accountId);
      if (record === undefined || record.confirmed || record.sealedSecret !== sealedSecret) return false;
      records.set(accountId, frozen({ ...record, confirmed: true, recoveryHashes }));
      return true;
    },
    async takeRecovery(accountId, hash) {
      const record = records.get(accountId);
      if (record?.confirmed !== true || !record.recoveryHashes.includes(hash)) return false;
      const recoveryHashes = record.recoveryHashes.filter((other) => other !== hash);
      records.set(accountId, frozen({ ...record, recoveryHashes }));
      return true;
    },
    async replaceRecovery(accountId, recoveryHashes) {
      const record = records.get(accountId);
      if (record?.confirmed !== true) return false;
      records.set(accountId, frozen({ ...record, recoveryHashes }));
      return true;
    },
    async remove(accountId) {
      return records.delete(accountId);
    },
  };
}

/** A copy that neither the caller nor a reader can change. */
function frozen(record: TotpRecord): TotpRecord {
  return Object.freeze({ ...record, recoveryHashes: Object.freeze([...record.recoveryHashes]) });
}
