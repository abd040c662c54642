import { randomBytes, randomUUID } from 'node:crypto';
import { configInvalid, refuseUnknownOptions, requireWholeNumber } from '../core/config-invalid.ts';
import { guarded } from '../core/guarded.ts';
import { systemClock } from '../core/index.ts';
import { commonPasswords, type PasswordRules } from '../passwords/index.ts';
import { boundedAccountStore, boundedRateLimitStore } from './bounded-stores.ts';
import type { SecondFactor } from './login/second-factor.ts';
import type { AccountsOptions } from './options.ts';
import { boundedSessionStore } from './sessions/bounded-sessions.ts';

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
    requireWholeNumber(field, value, 1, MAX_NUMBER);
  }
  requireWholeNumber('refreshGraceSeconds', refreshGraceSeconds, 0, MAX_GRACE_SECONDS);
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
