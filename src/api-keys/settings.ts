import { configInvalid, refuseUnknownOptions, requireWholeNumber } from '../core/config-invalid.ts';
import { guarded } from '../core/guarded.ts';
import { type Clock, type MaybePromise, type Subject, systemClock } from '../core/index.ts';
import type { ApiKeyStore } from './api-key-store.ts';
import { boundedApiKeyStore } from './bounded-store.ts';

export interface ApiKeysOptions {
  /** Where keys live, with the SHA-256 of their secrets. */
  readonly store: ApiKeyStore;
  /** Who an account is at this moment; `undefined` when it is gone or disabled, which refuses its keys. */
  readonly subjectOf: (accountId: string) => MaybePromise<Subject | undefined>;
  /** The names of all scopes that a key may be given (scope-tokens of RFC 6749 section 3.3). */
  readonly scopes: readonly string[];
  /** What every key begins with, so that people and scanners tell whose it is. @default 'dw' */
  readonly prefix?: string;
  /** Keys of one account that have not ended. @default 50 */
  readonly maxKeysPerAccount?: number;
  /** Deadline of every call of the store and of `subjectOf`, in milliseconds. @default 3000 */
  readonly storeTimeoutMs?: number;
  /** @default systemClock */
  readonly clock?: Clock;
}

/** The options with their defaults, checked, and with a store that answers in time or fails. */
export interface Settings extends Required<ApiKeysOptions> {
  readonly subjectOf: (accountId: string) => Promise<Subject | undefined>;
}

/** Without capitals, so that no JWS, which begins with `eyJ`, can begin with it. */
const PREFIX = /^[a-z](?:[a-z0-9_]{0,22}[a-z0-9])?$/;
const SCOPE_TOKEN = /^[\x21\x23-\x5B\x5D-\x7E]{1,128}$/;
/** What timers can hold. */
const MAX_NUMBER = 2 ** 31 - 1;
const OPTIONS: readonly string[] = [
  'store',
  'subjectOf',
  'scopes',
  'prefix',
  'maxKeysPerAccount',
  'storeTimeoutMs',
  'clock',
];

/** @throws `CONFIG_INVALID` for an option that is unknown or cannot be meant. */
export function readSettings(options: ApiKeysOptions): Settings {
  refuseUnknownOptions(options, OPTIONS);
  const { store, subjectOf, scopes } = Object(options) as ApiKeysOptions;
  const { prefix = 'dw', maxKeysPerAccount = 50, storeTimeoutMs = 3_000, clock = systemClock } = options;
  if (typeof store?.find !== 'function') throw configInvalid('store', 'must be a store of API keys');
  for (const [name, value] of Object.entries({ subjectOf, clock })) {
    if (typeof value !== 'function') throw configInvalid(name, 'must be a function');
  }
  if (typeof prefix !== 'string' || !PREFIX.test(prefix)) {
    throw configInvalid('prefix', 'must be 1 to 24 of a-z, 0-9 and _, with a letter first and no _ last');
  }
  for (const [name, value] of Object.entries({ maxKeysPerAccount, storeTimeoutMs })) {
    requireWholeNumber(name, value, 1, MAX_NUMBER);
  }
  return {
    store: boundedApiKeyStore(store, storeTimeoutMs),
    subjectOf: (accountId) => guarded(async () => subjectOf(accountId), storeTimeoutMs),
    scopes: readScopes(scopes),
    prefix,
    maxKeysPerAccount,
    storeTimeoutMs,
    clock,
  };
}

function readScopes(scopes: readonly string[]): readonly string[] {
  if (!Array.isArray(scopes)) throw configInvalid('scopes', 'must be a list of names');
  for (const scope of scopes) {
    if (typeof scope !== 'string' || !SCOPE_TOKEN.test(scope)) throw configInvalid('scopes', 'must be scope-tokens');
  }
  return Object.freeze([...scopes]);
}
