import type { SecondFactor } from '../accounts/login/second-factor.ts';
import type { Caller } from '../core/caller.ts';

/** What an authenticator app needs to know; shown to its owner once, and never stored in the clear. */
export interface TotpEnrolment {
  /** The shared secret in base32 (RFC 4648 section 6), for typing in. */
  readonly secret: string;
  /** The same as an `otpauth://totp/` address, for a QR code. */
  readonly uri: string;
}

export interface TotpStatus {
  /** Whether logins of the account need a code. */
  readonly confirmed: boolean;
  readonly recoveryCodesLeft: number;
}

/** One-time passwords by time (RFC 6238) with recovery codes, as a second factor. A `caller` is told in events. */
export interface Totp extends SecondFactor {
  readonly field: 'otp';
  /**
   * Starts an enrolment, or starts it over. It counts only after `confirm`.
   *
   * @param accountName - what the authenticator app shows, for example the username
   * @throws `INPUT_INVALID` when the account has a confirmed enrolment, which has to be removed first, or
   * for a name that cannot be shown; `SERVICE_UNAVAILABLE` when a store fails.
   */
  enrol(accountId: string, accountName: string): Promise<TotpEnrolment>;
  /**
   * Proves with a first code that the app has the secret; from now on logins need a code.
   *
   * @returns ten recovery codes, to be shown once, or `undefined` when the code is not good, was the sixth
   * one tried, or came too late.
   * @throws `SERVICE_UNAVAILABLE` when a store fails.
   */
  confirm(accountId: string, otp: unknown, caller?: Caller): Promise<readonly string[] | undefined>;
  /**
   * Replaces all recovery codes.
   *
   * @returns ten new ones, to be shown once, or `undefined` without a confirmed enrolment.
   * @throws `SERVICE_UNAVAILABLE` when a store fails.
   */
  replaceRecoveryCodes(accountId: string, caller?: Caller): Promise<readonly string[] | undefined>;
  /** @throws `SERVICE_UNAVAILABLE` when a store fails. */
  status(accountId: string): Promise<TotpStatus>;
  /**
   * Removes the enrolment, confirmed or not, and its recovery codes.
   *
   * @returns whether there was one.
   * @throws `SERVICE_UNAVAILABLE` when a store fails.
   */
  remove(accountId: string, caller?: Caller): Promise<boolean>;
}
