import { DoorwardError, publishAudit } from '../core/index.ts';
import { ownProperty } from '../core/own-property.ts';
import type { Identify } from './authenticate.ts';
import { issueLoginToken } from './session.ts';
import type { Settings } from './settings.ts';

/** What a refresh gives: the token, and in how many seconds it ends. */
export interface Refreshed {
  readonly accessToken: string;
  readonly expiresInSeconds: number;
}

export type Refresh = (token: string) => Promise<Refreshed>;

/** The new token belongs to the same login: `auth_time` and `sid` stay, so a chain of refreshes ends where its login ends. */
export function createRefresh(settings: Settings, identify: Identify): Refresh {
  const { clock, maxSessionSeconds } = settings;
  return async (token) => {
    const identified = await identify(token);
    if (!identified.ok) throw new DoorwardError('AUTH_NOT_AUTHENTICATED');
    const { principal, session, claims } = identified;
    if (session.authTime + maxSessionSeconds <= Math.floor(clock() / 1_000)) {
      publishAudit({ type: 'token.rejected', reason: 'login_too_old' });
      throw new DoorwardError('AUTH_NOT_AUTHENTICATED');
    }
    const email = ownProperty(claims, 'email');
    const refreshed = issueLoginToken(settings, {
      sub: claims.sub,
      uid: principal.id,
      auth_time: session.authTime,
      sid: session.id,
      amr: session.amr,
      ...(typeof email === 'string' && { email }),
    });
    publishAudit({ type: 'token.refreshed', accountId: principal.id, tokenId: session.tokenId });
    return refreshed;
  };
}
