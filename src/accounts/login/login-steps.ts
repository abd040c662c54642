import type { Caller } from '../../core/index.ts';
import type { Login } from '../sessions/start-session.ts';
import type { Credentials } from './credentials.ts';
import type { LoginOptions } from './login-options.ts';

/** What the first of two steps comes to. */
export type FirstStep =
  | { readonly kind: 'complete'; readonly login: Login }
  | {
      readonly kind: 'second_factor';
      /** The fields of the factors that are enrolled, for example `otp`; a proof under one of them is enough. */
      readonly fields: readonly string[];
      /** Sealed, for this account and 5 minutes; a form hands it back. It is worth nothing without the second factor. */
      readonly ticket: string;
    };

/** A login in two steps, for forms that ask for a second factor on a page of its own. */
export interface LoginSteps {
  /**
   * Checks the password, under the limits of a login. Where no second factor is enrolled the login is complete.
   *
   * @throws what `login` throws.
   */
  readonly beginLogin: (credentials: Credentials, caller?: Caller, options?: LoginOptions) => Promise<FirstStep>;
  /**
   * Completes a login with a second factor; the attempt counts under the limits of a login until the proof is good.
   *
   * @param proofs - the proof under the `field` of its factor, for example `{ otp: '123456' }`
   * @throws `AUTH_INVALID_CREDENTIALS` for a ticket that is not good, too old, or of a password that was changed
   * since; `AUTH_SECOND_FACTOR_REQUIRED` for a proof that is missing or wrong: the ticket stays good;
   * `HTTP_TOO_MANY_REQUESTS`.
   */
  readonly finishLogin: (
    ticket: unknown,
    proofs: Readonly<Record<string, unknown>>,
    caller?: Caller,
    options?: LoginOptions,
  ) => Promise<Login>;
}
