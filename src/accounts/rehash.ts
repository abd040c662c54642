import { type Origin, publishAudit } from '../core/index.ts';
import type { Account } from './ports.ts';
import type { Settings } from './settings.ts';

/** Brings the hash of a password that has just been verified up to date. Never fails: the next login tries again. */
export type Rehash = (account: Account, password: string, origin: Origin) => Promise<void>;

export function createRehash({ store, hasher }: Settings): Rehash {
  return async ({ id, passwordHash }, password, origin) => {
    try {
      if (hasher.needsRehash(passwordHash) !== true) return;
      // Only the hash that was verified is replaced: a password changed meanwhile stays changed.
      const isReplaced = await store.replacePasswordHash(id, passwordHash, await hasher.hash(password));
      if (isReplaced) publishAudit({ type: 'credential.rehashed', accountId: id, ...origin });
    } catch {
      // The queue is full or the store is down; neither is a reason to turn a right password away.
    }
  };
}
