import { publishAudit } from '../core/index.ts';
import type { Settings } from './settings.ts';

/** @returns whether there was such an account. */
export type Remove = (id: string) => Promise<boolean>;

export function createRemove({ store, onRevoked }: Settings): Remove {
  return async (id) => {
    if (!(await store.remove(id))) return false;
    publishAudit({ type: 'account.removed', accountId: id });
    await onRevoked(id);
    return true;
  };
}
