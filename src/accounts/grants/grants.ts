import type { Caller, SessionEnd } from '../../core/index.ts';
import type { PublicAccount } from '../public-account.ts';
import type { SessionRecord } from '../sessions/session-store.ts';

/** What an authorization server starts a session with. Nobody logs in here: somebody has, and `startedAt` says when that was relied on. */
export interface NewGrant {
  /** The `sid` of all its tokens, made by the caller and never used before. */
  readonly sessionId: string;
  /** The account, or {@link clientSubject} of a client that acts for itself. */
  readonly accountId: string;
  readonly clientId: string;
  /** What the client may do; told in the tokens and kept for refreshed ones. */
  readonly scopes: readonly string[];
  /** Whom its access tokens are for (RFC 8707). */
  readonly audience: readonly string[];
  /** Seconds since the epoch; 0 for a client that acts for itself. */
  readonly authTime: number;
  readonly amr: readonly string[];
  readonly acr: string;
  /** Epoch milliseconds: when an account's sessions were ended at or after this, the grant is not started. */
  readonly startedAt: number;
  /** Gives a refresh token; the session then lives `refreshAbsoluteSeconds`. */
  readonly refreshToken: boolean;
  /** How long a session without refresh token lives, in seconds. @default maxSessionSeconds */
  readonly lifetimeSeconds?: number;
  /** JWK thumbprint of the key that its refresh token is bound to (RFC 9449 section 5). */
  readonly dpopThumbprint?: string;
  /** `x5t#S256` of the certificate that its tokens are bound to (RFC 8705 section 3). */
  readonly certificateThumbprint?: string;
}

/** A live session and who it is for. */
export interface Grant {
  readonly session: SessionRecord;
  /** Enabled; absent only where a client acts for itself. */
  readonly account?: PublicAccount;
}

/** What a refresh token of a grant stands for. */
export interface FoundRefreshToken {
  readonly session: SessionRecord;
  /** Absent when it cannot be swapped now: it was used, was idle for too long, or its account is gone or disabled. */
  readonly grant?: Grant;
}

/** A grant with the refresh token that is good now. */
export interface StartedGrant extends Grant {
  readonly refreshToken?: string;
}

export interface GrantRotation {
  readonly clientId: string;
  readonly caller?: Caller;
  /** Looks at the grant before anything is consumed; what it throws is thrown, and the refresh token stays as it was. */
  readonly admit?: (grant: Grant) => void | Promise<void>;
}

/**
 * Sessions as an authorization server (`doorward/oauth`) uses them: it signs its own tokens, and everything that
 * can end a session of an account ends these too.
 */
export interface Grants {
  /** @returns `undefined` when the account is gone or disabled, or its sessions were ended at or after `startedAt`. */
  start(grant: NewGrant, caller?: Caller): Promise<StartedGrant | undefined>;
  /**
   * Swaps a refresh token; see `rotate` of the accounts.
   *
   * @throws `AUTH_INVALID_GRANT`, and what `admit` throws.
   */
  rotate(refreshToken: string, rotation: GrantRotation): Promise<Required<Pick<StartedGrant, 'refreshToken'>> & Grant>;
  /** @returns the grant of an access token, by its `sid` and `jti`, unless it has ended or the token is revoked. */
  find(sessionId: string, tokenId: string): Promise<Grant | undefined>;
  /** @returns the session that a refresh token belongs to, as long as it has not ended, and whether the token is good. */
  findByRefreshToken(refreshToken: unknown): Promise<FoundRefreshToken | undefined>;
  /** @returns the session of this id, of a grant or of a login, unless it has ended; its account may be disabled. */
  findSession(sessionId: string): Promise<SessionRecord | undefined>;
  /** @returns the first-party login that a session token (`login({ sessionToken: true })`) stands for. */
  findBySessionToken(sessionToken: unknown): Promise<Grant | undefined>;
  /** Ends one session with all its tokens. @returns whether there was one. */
  end(session: Pick<SessionRecord, 'id' | 'accountId'>, reason: SessionEnd, caller?: Caller): Promise<boolean>;
  /** Ends all sessions that one client has of an account. @returns how many there were. */
  endOfClient(accountId: string, clientId: string, reason: SessionEnd, caller?: Caller): Promise<number>;
  /** Ends all grants of an account, whichever client has them, and no login. @returns how many there were. */
  endAll(accountId: string, reason: SessionEnd, caller?: Caller): Promise<number>;
  /** Revokes one access token, that of a disabled account too. @returns whether there was one. */
  revokeToken(token: GrantToken, caller?: Caller): Promise<boolean>;
}

/** An access token of a grant, by what it says. */
export interface GrantToken {
  /** `jti` */
  readonly id: string;
  /** `sid` */
  readonly sessionId: string;
  readonly clientId: string;
  /** Seconds since the epoch: its `exp`. */
  readonly expiresAt: number;
}

const CLIENT = 'client:';

/**
 * The subject of a client that acts for itself. No username can contain a colon, so it is never mistaken for one; no
 * account is added with such an id.
 *
 * @example
 * const isForItself = session.accountId === clientSubject(clientId);
 */
export function clientSubject(clientId: string): string {
  return CLIENT + clientId;
}

/** Whether an id is the subject of some client, and hence of no account. */
export function isClientSubject(id: string): boolean {
  return id.startsWith(CLIENT);
}
