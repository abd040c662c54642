import { type Caller, publishAudit } from '../core/index.ts';
import { originOf } from '../core/origin.ts';
import { endSessions } from './sessions/end-session.ts';
import type { Settings } from './settings.ts';

/** @returns whether there was such an account. */
export type Remove = (id: string, caller?: Caller) => Promise<boolean>;

/** Without its account a token is worth nothing; ending the sessions as well keeps nothing of them. */
export function createRemove(settings: Settings): Remove {
  return async (id, caller = {}) => {
    if (!(await settings.store.remove(id))) return false;
    const origin = originOf(caller);
    publishAudit({ type: 'account.removed', accountId: id, ...origin });
    await endSessions(settings, id, { reason: 'account_removed', origin });
    return true;
  };
}
