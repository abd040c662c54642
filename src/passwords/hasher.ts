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
  /** Ends the workers. */
  close(): Promise<void>;
}

/** `corrupt`: the stored text is no hash that this hasher can check; treat as a mismatch and report it. */
export type PasswordVerdict = 'match' | 'mismatch' | 'corrupt';
