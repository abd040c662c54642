import type { Accounts, LoginSteps, RateLimitStore } from '../accounts/index.ts';
import type { Clock, OnceStore } from '../core/index.ts';
import type { ErrorListener } from '../http/index.ts';
import type { SigningKeySet } from '../tokens/index.ts';
import type { ClientRegistry } from './clients/client-registry.ts';
import type { CodeStore } from './codes/code-store.ts';
import type { ConsentStore } from './consents/consent-store.ts';
import type { RenderPage } from './pages/page.ts';

/** What the authorization server needs of `doorward/accounts`. */
export type OAuthAccounts = Pick<Accounts, 'grants' | keyof LoginSteps>;

export interface AuthorizationServerOptions {
  /** `https`, or `http` on a loopback address; without a trailing slash, query and fragment. All endpoints are below it. */
  readonly issuer: string;
  readonly accounts: OAuthAccounts;
  /** From `createClientRegistry`. */
  readonly clients: ClientRegistry;
  readonly codes: CodeStore;
  readonly consents: ConsentStore;
  /** Remembers the `jti` of DPoP proofs and of client assertions. */
  readonly once: OnceStore;
  readonly limits: RateLimitStore;
  /** Asymmetric keys. With the scope `openid` the active one has to be of RS256 (OpenID Connect Core section 15.1). */
  readonly keys: SigningKeySet;
  /** At least 32 bytes, used for nothing else: protects the forms. */
  readonly secret: string | Uint8Array;
  /** The scopes beside `openid`, `profile`, `email` and `offline_access`, each with what the consent page says of it. */
  readonly scopes: Readonly<Record<string, string>>;
  /** The audience of access tokens for which the client names none: your API. @default issuer */
  readonly resource?: string;
  /** All audiences that clients may ask for. @default [resource] */
  readonly resources?: readonly string[];
  /**
   * What `sub` is of an account. A username can be registered again after its account was removed, and `sub` must
   * never be reassigned (OpenID Connect Core section 2); every token carries the account's id as `uid` too.
   *
   * @default 'id'
   */
  readonly subject?: 'id' | 'username';
  /** @default 3600 */
  readonly accessTokenSeconds?: number;
  /** @default 3600 */
  readonly idTokenSeconds?: number;
  /** @default 60 */
  readonly codeSeconds?: number;
  /** How often a verifier may be wrong before the code is dead. @default 5 */
  readonly maxVerifierFailures?: number;
  /** Codes for one account and client in a minute. @default 30 */
  readonly codesPerMinute?: number;
  /** Introspections by one client in a minute. @default 6000 */
  readonly introspectionsPerMinute?: number;
  /** Tokens for one client that acts for itself in a minute: each is a session until it ends. @default 600 */
  readonly clientTokensPerMinute?: number;
  /** Makes the pages. @default the built-in ones */
  readonly page?: RenderPage;
  /** Is told what is answered with 500 and above. */
  readonly onError?: ErrorListener;
  /** Deadline of every call of a store, in milliseconds. @default 3000 */
  readonly storeTimeoutMs?: number;
  /** @default systemClock */
  readonly clock?: Clock;
}
