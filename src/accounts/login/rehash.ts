import { type Origin, publishAudit } from '../../core/index.ts';
import type { Account } from '../ports.ts';
import type { Settings } from '../settings.ts';

/**
 * Brings the hash of a password that has just been verified up to date. Never fails: the next login tries again.
 *
 * @returns the hash that it is now, as far as is known.
 */
export type Rehash = (account: Account, password: string, origin: Origin) => Promise<string>;

export function createRehash({ store, hasher }: Settings): Rehash {
  return async ({ id, passwordHash }, password, origin) => {
    try {
      if (hasher.needsRehash(passwordHash) !== true) return passwordHash;
      const next = await hasher.hash(password);
      // Only the hash that was verified is replaced: a password changed meanwhile stays changed.
      if (!(await store.replacePasswordHash(id, passwordHash, next))) return passwordHash;
      publishAudit({ type: 'credential.rehashed', accountId: id, ...origin });
      return next;
    } catch {
      // The queue is full or the store is down; neither is a reason to turn a right password away.
      return passwordHash;
    }
  };
}
