import type { PasskeyRecord, PasskeyStore } from '../webauthn/passkey-store.ts';
import { ownedRecords } from './owned-records.ts';

/**
 * Keeps passkeys in memory, for tests, trials and single processes that may forget.
 *
 * @example
 * const store = createMemoryPasskeyStore();
 */
export function createMemoryPasskeyStore(): PasskeyStore {
  const passkeys = ownedRecords<PasskeyRecord>();

  // No method awaits anything: each runs from start to end before another one can.
  return {
    async add(passkey) {
      if (passkeys.has(passkey.id)) return false;
      passkeys.put(frozen(passkey));
      return true;
    },
    async find(id) {
      return passkeys.find(id);
    },
    async list(accountId) {
      return passkeys.list(accountId);
    },
    async count(id, expected, counter) {
      const passkey = passkeys.find(id);
      if (passkey?.counter !== expected) return false;
      passkeys.put(frozen({ ...passkey, counter }));
      return true;
    },
    async remove(accountId, id) {
      return passkeys.remove(accountId, id);
    },
    async removeAll(accountId) {
      passkeys.removeAll(accountId);
    },
  };
}

/** A copy that neither the caller nor a reader can change. */
function frozen(passkey: PasskeyRecord): PasskeyRecord {
  return Object.freeze({ ...passkey, transports: Object.freeze([...passkey.transports]) });
}
