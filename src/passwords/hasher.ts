/**
 * Hashes and verifies passwords off the event loop. When its queue is full it throws `SERVICE_BUSY`
 * with a `retryAfterSeconds`.
 */
export interface PasswordHasher {
  /** @returns the hash to store. */
  hash(password: string): Promise<string>;
  /**
   * Compares a password with a stored hash. `stored` is `undefined` for an unknown account: the same
   * work is then done against a dummy hash, and the answer is `'mismatch'`.
   */
  verify(password: string, stored: string | undefined): Promise<PasswordVerdict>;
  /** Tells whether `verify` can check a stored text, by its form alone; never throws. */
  recognises(stored: string): boolean;
  /**
   * Tells whether a password that has just matched should be hashed anew: the stored hash is of another
   * kind, of less cost or under another pepper than `hash` makes now. One of more cost is kept.
   */
  needsRehash(stored: string): boolean;
  /** Refuses further work, rejects what waits, and ends the workers. */
  close(): Promise<void>;
}

/** `corrupt`: the stored text is no hash that this hasher can check; treat as a mismatch and report it. */
export type PasswordVerdict = 'match' | 'mismatch' | 'corrupt';
