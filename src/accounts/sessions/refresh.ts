import { type Caller, DoorwardError, publishAudit } from '../../core/index.ts';
import { originOf } from '../../core/origin.ts';
import { ownProperty } from '../../core/own-property.ts';
import type { Settings } from '../settings.ts';
import type { Identify } from './authenticate.ts';
import { claimsOf, endOf, type IssuedToken, issueLoginToken } from './session.ts';

export type Refresh = (token: string, caller?: Caller) => Promise<IssuedToken>;

/** The new token belongs to the same login: `auth_time` and `sid` stay, so a chain of refreshes ends where its login ends. */
export function createRefresh(settings: Settings, identify: Identify): Refresh {
  const { clock, maxSessionSeconds } = settings;
  return async (token, caller = {}) => {
    const identified = await identify(token, caller);
    if (!identified.ok) throw new DoorwardError('AUTH_NOT_AUTHENTICATED');
    const { account, record, claims } = identified;
    const refuse = (reason: string): never => {
      publishAudit({ type: 'token.rejected', reason, ...originOf(caller) });
      throw new DoorwardError('AUTH_NOT_AUTHENTICATED');
    };
    // Nothing here tells who the client is: it has its refresh token, or none.
    if (record.clientId !== undefined) refuse('other_client');
    const lastRefresh = record.authTime + maxSessionSeconds;
    if (lastRefresh <= Math.floor(clock() / 1_000)) refuse('login_too_old');
    const refreshed = issueLoginToken(
      settings,
      claimsOf(account, record, ownProperty(claims, 'email') !== undefined),
      Math.min(lastRefresh, endOf(record)),
    );
    publishAudit({ type: 'token.refreshed', accountId: account.id, sessionId: record.id, ...originOf(caller) });
    return refreshed;
  };
}
