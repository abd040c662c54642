import { boundedOnceStore } from '../core/bounded-once-store.ts';
import { type Clock, systemClock } from '../core/clock.ts';
import { configInvalid, refuseUnknownOptions, requireWholeNumber } from '../core/config-invalid.ts';
import { isDisplayName } from '../core/identifiers.ts';
import type { OnceStore } from '../core/once-store.ts';
import { derivedKey } from '../tokens/derived-key.ts';
import { boundedPasskeyStore } from './bounded-store.ts';
import type { PasskeyStore } from './passkey-store.ts';

export interface PasskeysOptions {
  /** Where passkeys live. */
  readonly store: PasskeyStore;
  /** Remembers used challenges; all processes that serve one set of accounts share it. */
  readonly once: OnceStore;
  /** At least 32 random bytes, from the configuration; challenges are authenticated with it. */
  readonly challengeKey: Uint8Array | string;
  /** The domain that credentials are for, for example `example.org`. Changing it makes all passkeys useless. */
  readonly rpId: string;
  /** What authenticators show; at most 64 characters. */
  readonly rpName: string;
  /** The origins of the pages that ask for passkeys, on `rpId` or below it, for example `https://www.example.org`. */
  readonly origins: readonly string[];
  /** How long an answer to a challenge may take, in seconds; 30 to 3600. @default 300 */
  readonly challengeSeconds?: number;
  /** Deadline of every call of a store, in milliseconds. @default 3000 */
  readonly storeTimeoutMs?: number;
  /** @default systemClock */
  readonly clock?: Clock;
}

/** The options with their defaults, checked, and with stores that answer in time or fail. */
export interface Settings {
  readonly store: PasskeyStore;
  readonly once: OnceStore;
  readonly challengeKey: Buffer;
  readonly rpId: string;
  readonly rpName: string;
  readonly origins: readonly string[];
  readonly challengeMs: number;
  readonly clock: Clock;
}

const OPTIONS = [
  ...['store', 'once', 'challengeKey', 'rpId', 'rpName', 'origins'],
  ...['challengeSeconds', 'storeTimeoutMs', 'clock'],
];

/** @throws `CONFIG_INVALID` for an option that cannot be meant. */
export function readSettings(options: PasskeysOptions): Settings {
  refuseUnknownOptions(options, OPTIONS);
  const { store, once, challengeKey, rpId, rpName, origins, clock = systemClock } = options;
  const { challengeSeconds = 300, storeTimeoutMs = 3_000 } = options;
  requireWholeNumber('challengeSeconds', challengeSeconds, 30, 3_600);
  requireWholeNumber('storeTimeoutMs', storeTimeoutMs, 1, 2 ** 31 - 1);
  if (typeof store?.find !== 'function') throw configInvalid('store', 'must be a store of passkeys');
  if (typeof once?.once !== 'function') throw configInvalid('once', 'must be a store of what may happen once');
  if (typeof clock !== 'function') throw configInvalid('clock', 'must be a function');
  if (typeof rpId !== 'string' || !/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/.test(rpId)) {
    throw configInvalid('rpId', 'must be a domain name in lower case, without a scheme or a port');
  }
  if (!isDisplayName(rpName)) throw configInvalid('rpName', 'must be 1 to 64 visible characters');
  return {
    store: boundedPasskeyStore(store, storeTimeoutMs),
    once: boundedOnceStore(once, storeTimeoutMs),
    challengeKey: derivedKey('challengeKey', challengeKey, `doorward webauthn challenge ${rpId}`),
    rpId,
    rpName,
    origins: checkedOrigins(origins, rpId),
    challengeMs: challengeSeconds * 1_000,
    clock,
  };
}

function checkedOrigins(origins: readonly string[], rpId: string): readonly string[] {
  if (!Array.isArray(origins) || origins.length === 0) throw configInvalid('origins', 'must be a list of origins');
  for (const origin of origins) {
    const problem = originProblem(origin, rpId);
    if (problem !== undefined) throw configInvalid('origins', problem);
  }
  return [...origins];
}

/** Browsers let a page use the credentials of its own domain and of those above it, over HTTPS only. */
function originProblem(origin: unknown, rpId: string): string | undefined {
  const url = typeof origin === 'string' && URL.canParse(origin) ? new URL(origin) : undefined;
  if (url === undefined || url.origin !== origin) return 'must be origins, for example https://example.org';
  if (url.hostname !== rpId && !url.hostname.endsWith(`.${rpId}`)) return 'must be on `rpId` or below it';
  const local = url.hostname === 'localhost' || url.hostname.endsWith('.localhost');
  return url.protocol === 'https:' || (url.protocol === 'http:' && local)
    ? undefined
    : 'must begin with https:// (on localhost, http:// is allowed)';
}
