import { isAccountId } from '../../core/identifiers.ts';
import { type Caller, publishAudit } from '../../core/index.ts';
import { originOf } from '../../core/origin.ts';
import type { Account } from '../ports.ts';
import { toPublicAccount } from '../public-account.ts';
import { createRefreshToken, hashRefreshToken } from '../sessions/refresh-token.ts';
import type { SessionRecord } from '../sessions/session-store.ts';
import type { Settings } from '../settings.ts';
import { clientSubject, type NewGrant, type StartedGrant } from './grants.ts';

export type StartGrant = (grant: NewGrant, caller?: Caller) => Promise<StartedGrant | undefined>;

/**
 * Starts the session of a grant. The account is read once more when the session is there, as at a login. A client
 * that acts for itself has no account and gets no refresh token (RFC 6749 section 4.4.3).
 */
export function createStartGrant(settings: Settings): StartGrant {
  const { store, sessions, clock, refreshIdleSeconds } = settings;

  async function enabled(accountId: string): Promise<Account | undefined> {
    const account = await store.byId(accountId);
    return account?.disabled === false ? account : undefined;
  }

  return async (grant, caller = {}) => {
    const { accountId, clientId, sessionId } = grant;
    // What nobody could list and end again is not started.
    if (!isAccountId(accountId) || !isAccountId(sessionId)) return undefined;
    const isForItself = accountId === clientSubject(clientId);
    if (!isForItself && (await enabled(accountId)) === undefined) return undefined;
    const refreshToken = grant.refreshToken && !isForItself ? createRefreshToken() : undefined;
    const session = sessionOf(grant, refreshToken !== undefined, settings);
    const idleUntil = Math.min(clock() + refreshIdleSeconds * 1_000, session.endsAt);
    const record = refreshToken === undefined ? undefined : { hash: hashRefreshToken(refreshToken), idleUntil };
    if (!(await sessions.start(session, record))) return undefined;
    const account = isForItself
      ? undefined
      : await enabled(accountId).catch(async (error: unknown) => {
          await sessions.end(session.id).catch(() => undefined);
          throw error;
        });
    if (!isForItself && account === undefined) {
      await sessions.end(session.id);
      return undefined;
    }
    publishAudit({ type: 'token.issued', accountId, sessionId, clientId, ...originOf(caller) });
    return {
      session,
      ...(account !== undefined && { account: toPublicAccount(account) }),
      ...(refreshToken !== undefined && { refreshToken }),
    };
  };
}

function sessionOf(
  grant: NewGrant,
  hasRefreshToken: boolean,
  { clock, maxSessionSeconds, refreshAbsoluteSeconds }: Settings,
): SessionRecord {
  const { sessionId, accountId, clientId, authTime, amr, acr, startedAt, scopes, audience } = grant;
  const { lifetimeSeconds = maxSessionSeconds, dpopThumbprint, certificateThumbprint } = grant;
  const seconds = hasRefreshToken ? refreshAbsoluteSeconds : lifetimeSeconds;
  return {
    id: sessionId,
    accountId,
    clientId,
    authTime,
    amr: [...amr],
    acr,
    startedAt,
    endsAt: (Math.floor(clock() / 1_000) + seconds) * 1_000,
    scopes: [...scopes],
    audience: [...audience],
    ...(dpopThumbprint !== undefined && { dpopThumbprint }),
    ...(certificateThumbprint !== undefined && { certificateThumbprint }),
  };
}
