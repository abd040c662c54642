import type { Clock } from '../core/index.ts';
import type { PasswordHasher, PasswordRules } from '../passwords/index.ts';
import type { TokenIssuer, TokenVerifier } from '../tokens/index.ts';
import type { SecondFactor } from './login/second-factor.ts';
import type { AccountStore, RateLimitStore } from './ports.ts';
import type { PublicAccount } from './public-account.ts';
import type { SessionStore } from './sessions/session-store.ts';

export interface AccountsOptions {
  /** Where accounts live. */
  readonly store: AccountStore;
  /** Where attempts are counted; all processes that serve one set of accounts share it. */
  readonly limits: RateLimitStore;
  /** Where sessions, refresh tokens and revoked tokens live. */
  readonly sessions: SessionStore;
  /** Stays yours to close. */
  readonly hasher: PasswordHasher;
  /** Signs the access tokens. */
  readonly issuer: TokenIssuer;
  /** Accepts what `issuer` issues. */
  readonly verifier: TokenVerifier;
  /** The names of all roles that an account may be given. */
  readonly roles: readonly string[];
  /** What a new account holds. @default ['viewer'] */
  readonly defaultRoles?: readonly string[];
  /** What a login has to prove after the password, if it is enrolled; one of them is enough. @default none */
  readonly factors?: readonly SecondFactor[];
  /** What a new password must be like. @default 8 to 1,024 characters and none of `commonPasswords()` */
  readonly passwordRules?: PasswordRules;
  /** Whether registering needs an e-mail address. @default true */
  readonly emailRequired?: boolean;
  /** Failed logins per account in one window; ten times as many per address. @default 10 */
  readonly loginMaxFailures?: number;
  /** How long failed logins count. @default 900 */
  readonly loginWindowSeconds?: number;
  /** Registrations per address and hour. @default 10 */
  readonly registerMaxPerHour?: number;
  /** How long after a login its tokens can be refreshed by a token, and the latest that any of those ends. @default 43200 */
  readonly maxSessionSeconds?: number;
  /** How long after a login its refresh tokens work, however often they are rotated. @default 2592000 */
  readonly refreshAbsoluteSeconds?: number;
  /** How long a refresh token works that nobody uses. @default 604800 */
  readonly refreshIdleSeconds?: number;
  /** How long after its use a refresh token still gets the one successor, 0 to 60; 0 is strict. @default 10 */
  readonly refreshGraceSeconds?: number;
  /** Deadline of every call of a store, of a second factor and of a listener, in milliseconds. @default 3000 */
  readonly storeTimeoutMs?: number;
  /** At least 32 bytes; keys the digests of unknown usernames in events. @default random: digests differ from start to start */
  readonly auditSecret?: string | Uint8Array;
  /**
   * At least 32 bytes, used for nothing else: seals the tickets of a login in two steps.
   *
   * @default random: the second step has to reach the process of the first one
   */
  readonly ticketSecret?: string | Uint8Array;
  /** @default systemClock */
  readonly clock?: Clock;
  /** Makes account ids, which must never repeat. @default crypto.randomUUID */
  readonly ids?: () => string;
  /** Makes login ids (`sid`), which must never repeat. @default 128 random bits in base64url */
  readonly sessionIds?: () => string;
  /** Runs before a registration is answered; when it fails, the account is removed again. */
  readonly onRegistered?: (account: PublicAccount) => Promise<void>;
  /**
   * Called when all tokens of an account have become worthless: it is disabled or removed, or all its
   * sessions were ended. A promise is awaited.
   */
  readonly onRevoked?: (accountId: string) => unknown;
  /** Called for every session that is ended before its time. A promise is awaited. */
  readonly onSessionEnded?: (sessionId: string, accountId: string) => unknown;
}
