import type { SecondFactor } from '../accounts/login/second-factor.ts';
import type { Caller } from '../core/caller.ts';
import type { CreationOptions, RequestOptions } from './ceremony-options.ts';
import type { PasskeyRecord } from './passkey-store.ts';

/** A passkey as its owner may see it. */
export type PublicPasskey = Pick<PasskeyRecord, 'id' | 'label' | 'transports' | 'backedUp' | 'createdAt'>;

/** Who logged in with a passkey as the only proof. */
export interface PasskeyLogin {
  readonly accountId: string;
  /** RFC 8176: `hwk` or `swk`, `user`, and `mfa`, since the authenticator has verified its user. */
  readonly amr: readonly string[];
  /** The credential id in base64url. */
  readonly passkeyId: string;
}

/** WebAuthn credentials (Web Authentication Level 3), as a second factor and as the only proof. A `caller` is told in events. */
export interface Passkeys extends SecondFactor {
  readonly field: 'passkey';
  /**
   * Makes what `navigator.credentials.create` takes, as JSON.
   *
   * @throws `INPUT_INVALID` when the account has as many passkeys as it may have, or for a name that cannot
   * be shown; `SERVICE_UNAVAILABLE` when a store fails.
   */
  registrationOptions(account: { readonly id: string; readonly username: string }): Promise<CreationOptions>;
  /**
   * Adds the credential that a browser has made.
   *
   * @param response - the JSON of the `PublicKeyCredential`, unchecked
   * @param label - what its owner calls it, at most 64 characters
   * @returns `undefined` when the response is not good.
   * @throws `INPUT_INVALID` for a label that cannot be shown; `SERVICE_UNAVAILABLE` when a store fails.
   */
  register(accountId: string, response: unknown, label?: string, caller?: Caller): Promise<PublicPasskey | undefined>;
  /**
   * Makes what `navigator.credentials.get` takes, as JSON. With an account it is for `verify`: hand it
   * out only to who has given the account's password. Without one it is for `authenticate`.
   *
   * @throws `SERVICE_UNAVAILABLE` when a store fails.
   */
  authenticationOptions(accountId?: string): Promise<RequestOptions>;
  /**
   * Checks a passkey as the only proof: the authenticator must have verified its user, now and when the
   * passkey was registered.
   *
   * @param response - the JSON of the `PublicKeyCredential`, unchecked
   * @returns `undefined` when the response is not good.
   * @throws `SERVICE_UNAVAILABLE` when a store fails.
   */
  authenticate(response: unknown, caller?: Caller): Promise<PasskeyLogin | undefined>;
  /** @returns the account's passkeys, oldest first. @throws `SERVICE_UNAVAILABLE` when a store fails. */
  list(accountId: string): Promise<readonly PublicPasskey[]>;
  /** @returns whether the account had it. @throws `SERVICE_UNAVAILABLE` when a store fails. */
  remove(accountId: string, id: string, caller?: Caller): Promise<boolean>;
  /** Removes all passkeys of an account, for when it is removed. @throws `SERVICE_UNAVAILABLE` when a store fails. */
  removeAll(accountId: string): Promise<void>;
}
