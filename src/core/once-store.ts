/**
 * Remembers what may happen once: a step of a one-time password, a challenge, the `jti` of a proof. It is
 * one indivisible operation: of any number of parallel calls with one key, one gets `true`.
 */
export interface OnceStore {
  /**
   * @param key at most 256 characters; never a secret in the clear
   * @param expiresAt epoch milliseconds until which the key is remembered
   * @param now epoch milliseconds
   * @returns whether this call was the first with the key
   */
  once(key: string, expiresAt: number, now: number): Promise<boolean>;
}
