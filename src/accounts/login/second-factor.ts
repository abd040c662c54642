import type { Caller } from '../../core/index.ts';

/** A second proof of who logs in, asked for after the password. */
export interface SecondFactor {
  /** The property of the credentials that carries the proof, for example `otp`. */
  readonly field: string;
  /** Tells whether the account has to bring a second factor because of this one. */
  isEnrolled(accountId: string): Promise<boolean>;
  /**
   * Checks a proof of whatever type a client sent; a good one is used up.
   *
   * @param caller - where the proof comes from, for events
   * @returns the authentication methods it stands for (RFC 8176), or `undefined` when it is not good.
   */
  verify(accountId: string, proof: unknown, caller?: Caller): Promise<readonly string[] | undefined>;
}
