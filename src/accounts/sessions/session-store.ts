/** One login and every token that came of it: a token family. */
export interface SessionRecord {
  /** The `sid` of its tokens. */
  readonly id: string;
  readonly accountId: string;
  /** The OAuth client that the login was for; absent for a first-party login. */
  readonly clientId?: string;
  /** When the password was verified, in seconds since the epoch. */
  readonly authTime: number;
  /** RFC 8176. */
  readonly amr: readonly string[];
  readonly acr: string;
  /** Epoch milliseconds, taken before the credentials were looked at. */
  readonly startedAt: number;
  /** Epoch milliseconds after which no token of the family is good, whatever else happens. */
  readonly endsAt: number;
  /** What an OAuth client was granted; absent for a first-party login, which nothing narrows. */
  readonly scopes?: readonly string[];
  /** Whom the access tokens of an OAuth grant are for (RFC 8707); absent for a first-party login. */
  readonly audience?: readonly string[];
  /** JWK thumbprint (RFC 7638) of the key that the refresh token of the family is bound to (RFC 9449 section 5). */
  readonly dpopThumbprint?: string;
  /** `x5t#S256` of the client certificate that all tokens of the family are bound to (RFC 8705); absent when they are not. */
  readonly certificateThumbprint?: string;
}

/** A refresh token as it is stored: by its SHA-256, never itself. */
export interface RefreshTokenRecord {
  /** SHA-256 of the token in base64url. */
  readonly hash: string;
  /** Epoch milliseconds after which it is no longer accepted when it was not used. */
  readonly idleUntil: number;
}

/** What a refresh token stands for. */
export interface RefreshTokenOwner {
  readonly session: SessionRecord;
  /** Whether `rotate` would answer `rotated` or `repeated` now: not used, or just now, and not idle for too long. */
  readonly usable: boolean;
}

/** What `rotate` is asked: swap one refresh token for the next. */
export interface RotationRequest {
  /** SHA-256 of the presented token in base64url. */
  readonly hash: string;
  /** The client that presents it; it must be the session's own. */
  readonly clientId?: string;
  /** What takes its place if this call is the one that swaps. */
  readonly successor: RefreshTokenRecord;
  /** The successor sealed with a key that only the presented token yields; what a repeated call gets back. */
  readonly sealedSuccessor: string;
  /** How long after the swap a repeated call gets the same successor, in milliseconds; 0 is strict. */
  readonly graceMs: number;
  /** Epoch milliseconds. */
  readonly now: number;
}

/**
 * What became of a rotation. `rotated`: this call swapped. `repeated`: another one did, within the grace
 * time, and its successor has not been used. `reused`: the token was used before, and its session has been
 * ended by this very call. `refused`: unknown, expired, of an ended session, or of another client; nothing
 * changed.
 */
export type Rotation =
  | { readonly kind: 'rotated'; readonly session: SessionRecord }
  | { readonly kind: 'repeated'; readonly session: SessionRecord; readonly sealedSuccessor: string }
  | { readonly kind: 'reused'; readonly session: SessionRecord }
  | { readonly kind: 'refused' };

/**
 * Persistence of sessions, of their refresh tokens and of what has been revoked. Every method is one
 * indivisible operation that is durable when it is answered: after `end` no call of `rotate` makes a live
 * token, whichever started first. A session that is not there has ended: a store that loses its data ends
 * all sessions and revives none.
 */
export interface SessionStore {
  /**
   * Adds a session, and its first refresh token when one is given, unless the account's sessions were ended
   * at or after its `startedAt`.
   *
   * @returns whether it was added.
   */
  start(session: SessionRecord, refreshToken?: RefreshTokenRecord): Promise<boolean>;
  /** @returns the session, if it has not ended at `now` and the token is not revoked. */
  find(id: string, tokenId: string, now: number): Promise<SessionRecord | undefined>;
  /** @returns the account's sessions that have not ended at `now`, oldest first. */
  list(accountId: string, now: number): Promise<readonly SessionRecord[]>;
  /**
   * Tells whose a refresh token is, used or not; nothing changes.
   *
   * @param graceMs - as in a rotation. @default 0
   * @returns `undefined` when its session has ended at `now`.
   */
  findByRefreshToken(hash: string, now: number, graceMs?: number): Promise<RefreshTokenOwner | undefined>;
  rotate(request: RotationRequest): Promise<Rotation>;
  /** Ends one session and all its tokens. @returns whether there was one. */
  end(id: string): Promise<boolean>;
  /**
   * Ends all sessions of an account but the one excepted, and keeps `start` from adding one that started at
   * or before `notBefore` (epoch milliseconds).
   *
   * @returns the ids of those that were ended.
   */
  endAll(accountId: string, notBefore: number, exceptId?: string): Promise<readonly string[]>;
  /** Revokes one access token by its `jti` until it ends by itself, at `expiresAt` in epoch milliseconds. */
  revokeToken(tokenId: string, expiresAt: number, now: number): Promise<void>;
}
