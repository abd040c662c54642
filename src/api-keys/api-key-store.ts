/** An API key as it is stored: by the SHA-256 of its secret, never itself. */
export interface ApiKeyRecord {
  /** The public part of the key. */
  readonly id: string;
  /** The account on whose behalf it acts. */
  readonly accountId: string;
  /** What its owner calls it. */
  readonly name: string;
  /** SHA-256 of the secret in base64url. */
  readonly hash: string;
  readonly scopes: readonly string[];
  /** Epoch milliseconds. */
  readonly createdAt: number;
  /** Epoch milliseconds; absent for a key without an end. */
  readonly expiresAt?: number;
  /** Epoch milliseconds, to the minute or so; absent for a key that was never used. */
  readonly lastUsedAt?: number;
}

/** Persistence of API keys. Every method is one indivisible operation. */
export interface ApiKeyStore {
  /** Adds a key unless its id is taken. @returns whether it was added. */
  add(key: ApiKeyRecord): Promise<boolean>;
  find(id: string): Promise<ApiKeyRecord | undefined>;
  /** @returns the account's keys, oldest first. */
  list(accountId: string): Promise<readonly ApiKeyRecord[]>;
  /**
   * Adds `next` and lets the key `id` of the same account end at `expiresAt` or at its own end, whichever
   * comes first: both, or nothing when the key is gone, has ended at `now`, or was replaced before.
   *
   * @returns whether it was replaced; of parallel calls one gets `true`.
   */
  replace(id: string, next: ApiKeyRecord, expiresAt: number, now: number): Promise<boolean>;
  /** Notes a use. */
  touch(id: string, lastUsedAt: number): Promise<void>;
  /** @returns whether the account had it. */
  remove(accountId: string, id: string): Promise<boolean>;
  /** Removes all keys of an account. */
  removeAll(accountId: string): Promise<void>;
}
