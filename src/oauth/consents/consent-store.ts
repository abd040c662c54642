/** What somebody lets a client do. */
export interface ConsentRecord {
  readonly clientId: string;
  readonly scopes: readonly string[];
  /** Epoch milliseconds of the last time that something was added. */
  readonly grantedAt: number;
}

/** Persistence of consents. Every method is one indivisible operation. */
export interface ConsentStore {
  find(accountId: string, clientId: string): Promise<ConsentRecord | undefined>;
  /** Adds scopes to what the account lets the client do; parallel calls lose nothing. */
  grant(accountId: string, clientId: string, scopes: readonly string[], now: number): Promise<void>;
  /** @returns what the account has consented to, by client id. */
  list(accountId: string): Promise<readonly ConsentRecord[]>;
  /** @returns whether there was anything to take back. */
  revoke(accountId: string, clientId: string): Promise<boolean>;
  /** Forgets everything of an account that is removed. */
  revokeAll(accountId: string): Promise<void>;
}
