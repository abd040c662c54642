import { randomBytes, randomUUID } from 'node:crypto';
import { configInvalid } from '../core/config-invalid.ts';
import { type Clock, systemClock } from '../core/index.ts';
import { commonPasswords, type PasswordHasher, type PasswordRules } from '../passwords/index.ts';
import type { TokenIssuer, TokenVerifier } from '../tokens/index.ts';
import { boundedAccountStore, boundedRateLimitStore, guarded } from './bounded-stores.ts';
import type { AccountStore, RateLimitStore } from './ports.ts';
import type { PublicAccount } from './public-account.ts';

export interface AccountsOptions {
  readonly store: AccountStore;
  readonly limits: RateLimitStore;
  readonly hasher: PasswordHasher;
  readonly issuer: TokenIssuer;
  /** Accepts what `issuer` issues. */
  readonly verifier: TokenVerifier;
  /** The names of all roles that an account may be given. */
  readonly roles: readonly string[];
  /** What a new account holds. @default ['viewer'] */
  readonly defaultRoles?: readonly string[];
  /** What a new password must be like. @default 8 to 1,024 characters and none of `commonPasswords()` */
  readonly passwordRules?: PasswordRules;
  /** Whether registering needs an e-mail address. @default true */
  readonly emailRequired?: boolean;
  /** Failed logins per account in one window; ten times as many per address. @default 10 */
  readonly loginMaxFailures?: number;
  /** @default 900 */
  readonly loginWindowSeconds?: number;
  /** Registrations per address and hour. @default 10 */
  readonly registerMaxPerHour?: number;
  /** How long after a login its tokens can be refreshed, and the latest that any of them ends. @default 43200 */
  readonly maxSessionSeconds?: number;
  /** Deadline of every call of a store, of `onRegistered` and of `onRevoked`, in milliseconds. @default 3000 */
  readonly storeTimeoutMs?: number;
  /** @default systemClock */
  readonly clock?: Clock;
  /** Makes account ids, which must never repeat. @default crypto.randomUUID */
  readonly ids?: () => string;
  /** Makes login ids (`sid`). @default 128 random bits in base64url */
  readonly sessionIds?: () => string;
  /** Runs before a registration is answered; when it fails, the account is removed again. */
  readonly onRegistered?: (account: PublicAccount) => Promise<void>;
  /** Called when the tokens of an account have become worthless, because it is disabled or removed. A promise is awaited. */
  readonly onRevoked?: (accountId: string) => unknown;
}

/** What timers and the columns of databases can hold. */
const MAX_NUMBER = 2 ** 31 - 1;

/** The options with their defaults, checked, and with stores and listeners that answer in time or fail. */
export type Settings = Required<AccountsOptions>;

/** @throws `CONFIG_INVALID` for an option that cannot be meant. */
export function readSettings(options: AccountsOptions): Settings {
  const {
    defaultRoles = ['viewer'],
    emailRequired = true,
    loginMaxFailures = 10,
    loginWindowSeconds = 900,
    registerMaxPerHour = 10,
    maxSessionSeconds = 43_200,
    storeTimeoutMs = 3_000,
    clock = systemClock,
    ids = () => randomUUID(),
    sessionIds = () => randomBytes(16).toString('base64url'),
    onRegistered = () => Promise.resolve(),
    onRevoked = () => undefined,
  } = options;
  const { minLength = 8, maxLength = 1_024, forbidden = commonPasswords() } = options.passwordRules ?? {};
  const numbers = { loginMaxFailures, loginWindowSeconds, registerMaxPerHour, maxSessionSeconds, storeTimeoutMs };
  for (const [field, value] of Object.entries({ ...numbers, minLength, maxLength })) {
    if (!Number.isInteger(value) || value < 1 || value > MAX_NUMBER) {
      throw configInvalid(field, `must be a whole number from 1 to ${MAX_NUMBER}`);
    }
  }
  if (minLength > maxLength) throw configInvalid('minLength', 'must not be above `maxLength`');
  checkRoles(options.roles, defaultRoles);
  return {
    ...options,
    ...numbers,
    defaultRoles,
    passwordRules: { minLength, maxLength, forbidden },
    emailRequired,
    clock,
    ids,
    sessionIds,
    onRegistered: (account) => guarded(() => onRegistered(account), storeTimeoutMs),
    onRevoked: (accountId) => guarded(async () => onRevoked(accountId), storeTimeoutMs),
    store: boundedAccountStore(options.store, storeTimeoutMs),
    limits: boundedRateLimitStore(options.limits, storeTimeoutMs),
  };
}

function checkRoles(roles: readonly string[], defaultRoles: readonly string[]): void {
  if (!Array.isArray(roles)) throw configInvalid('roles', 'must be a list of names');
  for (const role of roles) {
    if (typeof role !== 'string' || role === '') throw configInvalid('roles', 'must be names');
  }
  for (const role of defaultRoles) {
    if (!roles.includes(role)) throw configInvalid('defaultRoles', 'must be among `roles`');
  }
}
