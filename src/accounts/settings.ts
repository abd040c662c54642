import { randomBytes, randomUUID } from 'node:crypto';
import { configInvalid, refuseUnknownOptions } from '../core/config-invalid.ts';
import { guarded } from '../core/guarded.ts';
import { type Clock, systemClock } from '../core/index.ts';
import { commonPasswords, type PasswordHasher, type PasswordRules } from '../passwords/index.ts';
import type { TokenIssuer, TokenVerifier } from '../tokens/index.ts';
import { boundedSessionStore } from './bounded-sessions.ts';
import { boundedAccountStore, boundedRateLimitStore } from './bounded-stores.ts';
import type { AccountStore, RateLimitStore } from './ports.ts';
import type { PublicAccount } from './public-account.ts';
import type { SecondFactor } from './second-factor.ts';
import type { SessionStore } from './session-store.ts';

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

/** What timers and the columns of databases can hold. */
const MAX_NUMBER = 2 ** 31 - 1;
const MAX_GRACE_SECONDS = 60;
const MIN_SECRET_BYTES = 32;
const OPTIONS: readonly (keyof AccountsOptions)[] = [
  ...(['store', 'limits', 'sessions', 'hasher', 'issuer', 'verifier', 'roles', 'defaultRoles', 'factors'] as const),
  ...(['passwordRules', 'emailRequired', 'loginMaxFailures', 'loginWindowSeconds', 'registerMaxPerHour'] as const),
  ...(['maxSessionSeconds', 'refreshAbsoluteSeconds', 'refreshIdleSeconds', 'refreshGraceSeconds'] as const),
  ...(['storeTimeoutMs', 'auditSecret', 'ticketSecret', 'clock', 'ids', 'sessionIds'] as const),
  ...(['onRegistered', 'onRevoked', 'onSessionEnded'] as const),
];
const PASSWORD_RULES: readonly (keyof PasswordRules)[] = [
  'minLength',
  'maxLength',
  'forbidden',
  'check',
  'checkTimeoutMs',
];

/** The options with their defaults, checked, and with stores and listeners that answer in time or fail. */
export type Settings = Required<AccountsOptions>;

/** @throws `CONFIG_INVALID` for an option that cannot be meant. */
export function readSettings(options: AccountsOptions): Settings {
  refuseUnknownOptions(options, OPTIONS);
  const {
    defaultRoles = ['viewer'],
    factors = [],
    emailRequired = true,
    loginMaxFailures = 10,
    loginWindowSeconds = 900,
    registerMaxPerHour = 10,
    maxSessionSeconds = 43_200,
    refreshAbsoluteSeconds = 2_592_000,
    refreshIdleSeconds = 604_800,
    refreshGraceSeconds = 10,
    storeTimeoutMs = 3_000,
    auditSecret = randomBytes(MIN_SECRET_BYTES),
    ticketSecret = randomBytes(MIN_SECRET_BYTES),
    clock = systemClock,
    ids = () => randomUUID(),
    sessionIds = () => randomBytes(16).toString('base64url'),
    onRegistered = () => Promise.resolve(),
    onRevoked = () => undefined,
    onSessionEnded = () => undefined,
  } = options;
  refuseUnknownOptions(options.passwordRules ?? {}, PASSWORD_RULES);
  const { minLength = 8, maxLength = 1_024, forbidden = commonPasswords() } = options.passwordRules ?? {};
  const { check, checkTimeoutMs = 3_000 } = options.passwordRules ?? {};
  const limits = { loginMaxFailures, loginWindowSeconds, registerMaxPerHour };
  const spans = { maxSessionSeconds, refreshAbsoluteSeconds, refreshIdleSeconds, storeTimeoutMs };
  for (const [field, value] of Object.entries({ ...limits, ...spans, minLength, maxLength, checkTimeoutMs })) {
    checkNumber(field, value, 1, MAX_NUMBER);
  }
  checkNumber('refreshGraceSeconds', refreshGraceSeconds, 0, MAX_GRACE_SECONDS);
  if (minLength > maxLength) throw configInvalid('minLength', 'must not be above `maxLength`');
  if (check !== undefined && typeof check !== 'function') throw configInvalid('check', 'must be a function');
  checkRoles(options.roles, defaultRoles);
  checkFactors(factors);
  checkSecret('auditSecret', auditSecret);
  checkSecret('ticketSecret', ticketSecret);
  if (typeof options.sessions?.start !== 'function') throw configInvalid('sessions', 'must be a session store');
  return {
    ...options,
    ...limits,
    ...spans,
    refreshGraceSeconds,
    defaultRoles,
    factors: [...factors],
    passwordRules: { minLength, maxLength, forbidden, checkTimeoutMs, ...(check && { check }) },
    emailRequired,
    auditSecret,
    ticketSecret,
    clock,
    ids,
    sessionIds,
    onRegistered: (account) => guarded(() => onRegistered(account), storeTimeoutMs),
    onRevoked: (accountId) => guarded(async () => onRevoked(accountId), storeTimeoutMs),
    onSessionEnded: (id, accountId) => guarded(async () => onSessionEnded(id, accountId), storeTimeoutMs),
    store: boundedAccountStore(options.store, storeTimeoutMs),
    limits: boundedRateLimitStore(options.limits, storeTimeoutMs),
    sessions: boundedSessionStore(options.sessions, storeTimeoutMs),
  };
}

function checkNumber(field: string, value: number, least: number, most: number): void {
  if (!Number.isInteger(value) || value < least || value > most) {
    throw configInvalid(field, `must be a whole number from ${least} to ${most}`);
  }
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

function checkFactors(factors: readonly SecondFactor[]): void {
  if (!Array.isArray(factors)) throw configInvalid('factors', 'must be a list of second factors');
  const fields = new Set(['username', 'password']);
  for (const { field, isEnrolled, verify } of factors) {
    if (typeof isEnrolled !== 'function' || typeof verify !== 'function') {
      throw configInvalid('factors', 'must be second factors');
    }
    if (typeof field !== 'string' || field === '' || fields.has(field)) {
      throw configInvalid('factors', 'must each have a field of their own');
    }
    fields.add(field);
  }
}

function checkSecret(field: 'auditSecret' | 'ticketSecret', secret: string | Uint8Array): void {
  const isBytes = typeof secret === 'string' || secret instanceof Uint8Array;
  if (!isBytes || Buffer.byteLength(secret) < MIN_SECRET_BYTES) {
    throw configInvalid(field, `must have at least ${MIN_SECRET_BYTES} bytes`);
  }
}
