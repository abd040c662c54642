import { type Caller, DoorwardError, publishAudit } from '../../core/index.ts';
import { originOf } from '../../core/origin.ts';
import type { Settings } from '../settings.ts';
import type { Identify } from './authenticate.ts';
import { endSession, endSessions } from './end-session.ts';
import { hashRefreshToken, isRefreshToken } from './refresh-token.ts';
import { isGrant, readSession } from './session.ts';
import type { SessionRecord } from './session-store.ts';

/** A session as its owner and administrators may see it. */
export interface PublicSession {
  readonly id: string;
  readonly clientId?: string;
  /** What an OAuth client was granted; absent for a first-party login, which nothing narrows. */
  readonly scopes?: readonly string[];
  /** ISO 8601, UTC, as all times here: when the identity was proved. */
  readonly authTime: string;
  readonly amr: readonly string[];
  readonly acr: string;
  readonly startedAt: string;
  readonly endsAt: string;
}

export interface RevokeTokenOptions {
  /** The client that asks; the token must be its own. @default none: a first-party token */
  readonly clientId?: string;
  readonly caller?: Caller;
}

/** Verbs that list and end sessions. */
export interface SessionControl {
  /**
   * Ends the session of an access token, with all its tokens.
   *
   * @throws `AUTH_NOT_AUTHENTICATED` when the token is not good.
   */
  readonly logout: (token: string, caller?: Caller) => Promise<void>;
  /** The account's sessions that have not ended, oldest first. */
  readonly sessionsOf: (accountId: string) => Promise<readonly PublicSession[]>;
  /** Ends one session of this account and of no other. @returns whether there was one. */
  readonly revokeSession: (accountId: string, sessionId: string, caller?: Caller) => Promise<boolean>;
  /** Ends all sessions of an account, or all but one; a login under way goes on if what it proved still holds. @returns how many there were. */
  readonly revokeAllFor: (
    accountId: string,
    options?: { readonly exceptSessionId?: string; readonly caller?: Caller },
  ) => Promise<number>;
  /**
   * Revokes one token (RFC 7009): an access token alone, a refresh token with its whole session.
   *
   * @returns whether there was anything to revoke; a client is told the same either way.
   */
  readonly revokeToken: (token: string, options?: RevokeTokenOptions) => Promise<boolean>;
}

/** The most that a verifier tolerates after `exp`: a revoked token is remembered for longer. */
export const MAX_TOLERANCE_SECONDS = 60;

export function createSessionControl(settings: Settings, identify: Identify): SessionControl {
  const { sessions, verifier, clock } = settings;

  async function revokeAccessToken(token: string, { clientId, caller = {} }: RevokeTokenOptions): Promise<boolean> {
    const verified = verifier.verify(token);
    const login = verified.ok ? readSession(verified.claims) : undefined;
    if (login === undefined) return false;
    const { accountId, session } = login;
    const record = await sessions.find(session.id, session.tokenId, clock());
    if (record === undefined || record.accountId !== accountId || record.clientId !== clientId || isGrant(record)) {
      return false;
    }
    await sessions.revokeToken(session.tokenId, (session.expiresAt + MAX_TOLERANCE_SECONDS) * 1_000, clock());
    publishAudit({ type: 'token.revoked', accountId, tokenId: session.tokenId, ...originOf(caller) });
    return true;
  }

  async function revokeRefreshToken(token: string, { clientId, caller = {} }: RevokeTokenOptions): Promise<boolean> {
    const record = (await sessions.findByRefreshToken(hashRefreshToken(token), clock()))?.session;
    if (record === undefined || record.clientId !== clientId) return false;
    return endSession(settings, record.accountId, record.id, { reason: 'revoked', origin: originOf(caller) });
  }

  return {
    async logout(token, caller = {}) {
      const identified = await identify(token, caller);
      if (!identified.ok) throw new DoorwardError('AUTH_NOT_AUTHENTICATED');
      const { account, record } = identified;
      await endSession(settings, account.id, record.id, { reason: 'logout', origin: originOf(caller) });
    },
    sessionsOf: async (accountId) => (await sessions.list(accountId, clock())).map(toPublicSession),
    async revokeSession(accountId, sessionId, caller = {}) {
      const own = await sessions.list(accountId, clock());
      if (!own.some(({ id }) => id === sessionId)) return false;
      return endSession(settings, accountId, sessionId, { reason: 'revoked', origin: originOf(caller) });
    },
    revokeAllFor: (accountId, { exceptSessionId, caller = {} } = {}) =>
      endSessions(settings, accountId, { reason: 'revoked', origin: originOf(caller) }, exceptSessionId),
    revokeToken: async (token, options = {}) =>
      isRefreshToken(token) ? revokeRefreshToken(token, options) : revokeAccessToken(token, options),
  };
}

/** Copies what may be shown, name by name. */
function toPublicSession(session: SessionRecord): PublicSession {
  const { id, clientId, scopes, authTime, amr, acr, startedAt, endsAt } = session;
  return {
    id,
    ...(clientId !== undefined && { clientId }),
    ...(scopes !== undefined && { scopes: [...scopes] }),
    authTime: new Date(authTime * 1_000).toISOString(),
    amr: [...amr],
    acr,
    startedAt: new Date(startedAt).toISOString(),
    endsAt: new Date(endsAt).toISOString(),
  };
}
