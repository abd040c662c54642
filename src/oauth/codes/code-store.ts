/** What an authorization code stands for. */
export interface CodeRecord {
  readonly clientId: string;
  readonly accountId: string;
  readonly redirectUri: string;
  /** Of method S256 (RFC 7636 section 4.2). */
  readonly codeChallenge: string;
  readonly scopes: readonly string[];
  readonly audience: readonly string[];
  readonly nonce?: string;
  /** Seconds since the epoch: when the account's owner logged in. */
  readonly authTime: number;
  readonly amr: readonly string[];
  readonly acr: string;
  /** JWK thumbprint of the key that the code is bound to (RFC 9449 section 10). */
  readonly dpopThumbprint?: string;
  /** The login at the authorization server that it came of. */
  readonly loginSessionId: string;
  /** Epoch milliseconds. */
  readonly issuedAt: number;
  /** Epoch milliseconds; expired from this on. */
  readonly expiresAt: number;
}

/** A code as the store knows it. */
export interface CodeState {
  readonly record: CodeRecord;
  /** The session that was started with it; absent as long as nobody has taken it. */
  readonly takenBy?: string;
  /** Whether somebody came with it again after it was taken. */
  readonly replayed: boolean;
  /** How many verifiers were wrong. */
  readonly failures: number;
}

/** What became of the attempt to take a code. `replayed`: it had been taken, by the session named, and is now marked. */
export type TakenCode =
  | { readonly kind: 'taken' }
  | { readonly kind: 'replayed'; readonly sessionId: string }
  | { readonly kind: 'gone' };

/**
 * Persistence of authorization codes, by their SHA-256 in base64url and never themselves. Every method is one
 * indivisible operation that is durable when it is answered. A code that was taken is remembered, as a tombstone,
 * until `keepUntil`, so that a replay is seen while it is redeemed and for a while after.
 */
export interface CodeStore {
  /** @param keepUntil epoch milliseconds, at or after `record.expiresAt` */
  put(hash: string, record: CodeRecord, keepUntil: number, now: number): Promise<void>;
  /** @returns the code, expired or not, until it is forgotten; nothing changes. */
  find(hash: string, now: number): Promise<CodeState | undefined>;
  /**
   * Takes the code for a session: of any number of parallel calls one gets `taken`, and every other, then and
   * later, `replayed` with the session of that one. `gone` for a code that is unknown or expired at `now`, or has
   * `maxFailures` or more failures.
   */
  take(hash: string, sessionId: string, maxFailures: number, now: number): Promise<TakenCode>;
  /** Counts a wrong verifier. @returns how many there were, this one included; 0 when the code is not there or taken. */
  fail(hash: string, now: number): Promise<number>;
}
