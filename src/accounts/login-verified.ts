import { type Caller, DoorwardError, publishAudit } from '../core/index.ts';
import { refuseInput } from './input.ts';
import { checkLoginOptions, type LoginOptions } from './login-options.ts';
import { originOf } from './origin.ts';
import type { Settings } from './settings.ts';
import type { Login, StartSession } from './start-session.ts';

/** How somebody's identity has been proved: the authentication methods (RFC 8176). */
export interface VerifiedIdentity {
  readonly amr: readonly string[];
}

export type LogInVerified = (
  accountId: string,
  identity: VerifiedIdentity,
  caller?: Caller,
  options?: LoginOptions,
) => Promise<Login>;

export function createLoginVerified({ store, clock }: Settings, startSession: StartSession): LogInVerified {
  return async (accountId, { amr }, caller = {}, options = {}) => {
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
    return startSession({ account, amr, startedAt, caller, options, stillHolds: async () => true });
  };
}
