import { checkedFlag, guarded } from '../../core/guarded.ts';
import { type Caller, DoorwardError, publishAudit } from '../../core/index.ts';
import { originOf } from '../../core/origin.ts';
import { refuseInput } from '../input.ts';
import type { Login, StartSession } from '../sessions/start-session.ts';
import type { Settings } from '../settings.ts';
import { checkLoginOptions, type LoginOptions } from './login-options.ts';

/** How somebody's identity has been proved: the authentication methods (RFC 8176). */
export interface VerifiedIdentity {
  readonly amr: readonly string[];
  /**
   * Asked once more when the session is there, for a proof that can be taken away, as a passkey can: whoever
   * removes it and ends the account's sessions either finds this one or is seen here. @default it holds
   */
  readonly stillHolds?: () => Promise<boolean>;
}

export type LogInVerified = (
  accountId: string,
  identity: VerifiedIdentity,
  caller?: Caller,
  options?: LoginOptions,
) => Promise<Login>;

export function createLoginVerified(
  { store, clock, storeTimeoutMs }: Settings,
  startSession: StartSession,
): LogInVerified {
  return async (accountId, { amr, stillHolds: ask = async () => true }, caller = {}, options = {}) => {
    const startedAt = clock();
    if (!Array.isArray(amr) || amr.length === 0 || !amr.every((method) => typeof method === 'string')) {
      refuseInput('amr', 'must be a list of authentication methods');
    }
    checkLoginOptions(options, caller);
    const account = await store.byId(accountId);
    if (account === undefined || account.disabled) {
      const reason = account === undefined ? 'unknown_account' : 'disabled';
      publishAudit({ type: 'login.failed', reason, ...(account !== undefined && { accountId }), ...originOf(caller) });
      throw new DoorwardError('AUTH_INVALID_CREDENTIALS');
    }
    const stillHolds = () => guarded(async () => checkedFlag(await ask()), storeTimeoutMs);
    return startSession({ account, amr, startedAt, caller, options, stillHolds });
  };
}
