import { boundedOnceStore } from '../core/bounded-once-store.ts';
import { type Clock, systemClock } from '../core/clock.ts';
import { configInvalid, refuseUnknownOptions, requireWholeNumber } from '../core/config-invalid.ts';
import { isDisplayName } from '../core/identifiers.ts';
import type { OnceStore } from '../core/once-store.ts';
import { derivedKey } from '../tokens/derived-key.ts';
import { boundedTotpStore } from './bounded-store.ts';
import type { TotpStore } from './totp-store.ts';

export interface TotpOptions {
  /** Where enrolments live. */
  readonly store: TotpStore;
  /** Remembers used codes; all processes that serve one set of accounts share it. */
  readonly once: OnceStore;
  /** At least 32 random bytes, from the configuration. Whoever has it and the store can make codes. */
  readonly sealKey: Uint8Array | string;
  /** What authenticator apps show beside the account's name; at most 64 characters, no colon. */
  readonly issuer: string;
  /** How many steps of 30 seconds the clock of an app may be off, either way; 0 to 2 (RFC 6238 section 5.2). @default 1 */
  readonly driftSteps?: number;
  /** How long an enrolment may wait for its first code, in seconds; 60 to 86400. @default 900 */
  readonly confirmSeconds?: number;
  /** Deadline of every call of a store, in milliseconds. @default 3000 */
  readonly storeTimeoutMs?: number;
  /** @default systemClock */
  readonly clock?: Clock;
}

/** The options with their defaults, checked, with stores that answer in time or fail, and a key for each purpose. */
export interface Settings {
  readonly store: TotpStore;
  readonly once: OnceStore;
  readonly sealKey: Buffer;
  readonly onceKey: Buffer;
  readonly recoveryKey: Buffer;
  readonly issuer: string;
  readonly driftSteps: number;
  readonly confirmMs: number;
  readonly clock: Clock;
}

const OPTIONS = ['store', 'once', 'sealKey', 'issuer', 'driftSteps', 'confirmSeconds', 'storeTimeoutMs', 'clock'];

/** @throws `CONFIG_INVALID` for an option that cannot be meant. */
export function readSettings(options: TotpOptions): Settings {
  refuseUnknownOptions(options, OPTIONS);
  const { store, once, sealKey, issuer, clock = systemClock } = options;
  const { driftSteps = 1, confirmSeconds = 900, storeTimeoutMs = 3_000 } = options;
  requireWholeNumber('driftSteps', driftSteps, 0, 2);
  requireWholeNumber('confirmSeconds', confirmSeconds, 60, 86_400);
  requireWholeNumber('storeTimeoutMs', storeTimeoutMs, 1, 2 ** 31 - 1);
  if (typeof store?.find !== 'function') throw configInvalid('store', 'must be a store of TOTP enrolments');
  if (typeof once?.once !== 'function') throw configInvalid('once', 'must be a store of what may happen once');
  if (typeof clock !== 'function') throw configInvalid('clock', 'must be a function');
  // Apps split the label of an `otpauth` address at its first colon.
  if (!isDisplayName(issuer) || issuer.includes(':')) {
    throw configInvalid('issuer', 'must be 1 to 64 visible characters without a colon');
  }
  return {
    store: boundedTotpStore(store, storeTimeoutMs),
    once: boundedOnceStore(once, storeTimeoutMs),
    sealKey: derivedKey('sealKey', sealKey, 'doorward totp seal'),
    onceKey: derivedKey('sealKey', sealKey, 'doorward totp once'),
    recoveryKey: derivedKey('sealKey', sealKey, 'doorward totp recovery'),
    issuer,
    driftSteps,
    confirmMs: confirmSeconds * 1_000,
    clock,
  };
}
