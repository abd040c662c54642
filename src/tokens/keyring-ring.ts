import { configInvalid, refuseUnknownOptions } from '../core/config-invalid.ts';
import type { TokenKey } from './token-key.ts';
import { createTokenVerifier } from './token-verifier.ts';

/** `next` is published and verified with, but does not sign yet; `active` signs; `retired` only verifies, and not for ever. */
export type KeyState = 'next' | 'active' | 'retired';

/** A key and what it is for now. */
export interface KeyringKey {
  readonly key: TokenKey;
  readonly state: KeyState;
  /** When a retired key stopped signing, in epoch milliseconds. @default the time at which the ring is made */
  readonly retiredAt?: number;
}

/** One arrangement of keys. It is never changed: a rotation makes another one. */
export interface Ring {
  readonly entries: readonly KeyringKey[];
  /** The keys of the entries: one array object per ring, which is how a verifier notices a change. */
  readonly keys: readonly TokenKey[];
  readonly active: TokenKey;
}

const STATES: readonly unknown[] = ['next', 'active', 'retired'] satisfies readonly KeyState[];
/** How far a clock that wrote `retiredAt` may be ahead. */
const CLOCK_SKEW_MS = 60_000;

/**
 * Puts entries together after checking them all: one active key that can sign, next keys that will be able
 * to, and nothing that a verifier would refuse (equal kids, one key under two algorithms, weak keys).
 */
export function ringOf(entries: readonly KeyringKey[]): Ring {
  const [active, ...others] = entries.filter(({ state }) => state === 'active');
  if (active === undefined || others.length > 0) throw configInvalid('keys', 'must have exactly one active key');
  const keys = Object.freeze(entries.map(({ key }) => key));
  createTokenVerifier({ keys });
  if (entries.some(({ key, state }) => state !== 'retired' && key.sign === undefined)) {
    throw configInvalid('keys', 'must be able to sign, unless they are retired');
  }
  return Object.freeze({ entries: Object.freeze([...entries]), keys, active: active.key });
}

/** Copies the configured entries, each of one shape. @param now epoch milliseconds */
export function readEntries(keys: unknown, now: number): readonly KeyringKey[] {
  if (!Array.isArray(keys) || keys.length === 0) throw configInvalid('keys', 'must be a non-empty list');
  return keys.map((entry: KeyringKey) => readEntry(entry, now));
}

function readEntry(entry: KeyringKey, now: number): KeyringKey {
  refuseUnknownOptions(entry, ['key', 'state', 'retiredAt']);
  const { key, state } = entry;
  if (!STATES.includes(state)) throw configInvalid('state', 'must be next, active or retired');
  if (state !== 'retired') {
    if (Object.hasOwn(entry, 'retiredAt')) throw configInvalid('retiredAt', 'belongs to retired keys only');
    return Object.freeze({ key, state });
  }
  const retiredAt: unknown = Object.hasOwn(entry, 'retiredAt') ? entry.retiredAt : now;
  if (typeof retiredAt !== 'number' || !(retiredAt >= 0 && retiredAt <= now + CLOCK_SKEW_MS)) {
    throw configInvalid('retiredAt', 'must be a time in epoch milliseconds that has passed');
  }
  return Object.freeze({ key, state, retiredAt });
}
