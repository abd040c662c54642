import { configInvalid, refuseUnknownOptions } from '../core/config-invalid.ts';
import { type AuditEvent, type Clock, publishAudit } from '../core/index.ts';
import type { SigningKeySet } from './key-set.ts';
import { type KeyringKey, type Ring, readEntries, ringOf } from './keyring-ring.ts';
import { readClock, requireSeconds } from './options.ts';
import type { TokenKey } from './token-key.ts';

export interface KeyringOptions {
  /** One of them active. Every key has a `kid` of its own; at most one may have none. */
  readonly keys: readonly KeyringKey[];
  /** The longest life of a token that these keys sign: so long a retired key stays. @default 86400 */
  readonly maxLifetimeSeconds?: number;
  /** The largest tolerance of any verifier, added to the lifetime, 0 to 3600. @default 60 */
  readonly toleranceSeconds?: number;
  /** @default systemClock */
  readonly clock?: Clock;
}

/** Keys that change without a refused token. Verifiers and issuers that were made with it follow at once. */
export interface Keyring extends SigningKeySet {
  /** All keys with their states: the `keys` option of an equal ring, after a restart for example. */
  readonly entries: readonly KeyringKey[];
  /** Adds a key as `next`, for verifiers everywhere to learn before anything is signed with it. */
  announce(key: TokenKey): void;
  /** Lets the `next` key of that `kid` sign from now on. The one that signed until now is retired. */
  promote(kid: string | undefined): void;
  /** Takes a key away at once, with every token that it signed. The active one cannot be removed. */
  remove(kid: string | undefined): void;
}

type Rotation = Extract<AuditEvent, { type: 'key.rotated' }>['state'];

/**
 * Makes a ring of keys that are rotated in three steps: announce the next one, promote it, and let the old one
 * go when the last token that it signed has ended. Each change is published as `key.rotated`. RFC 7517 section 4.5.
 *
 * @throws `CONFIG_INVALID` unless exactly one key is active and can sign, for two keys with one `kid`, two
 * without, one key under two algorithms, and for what `createTokenVerifier` refuses. The verbs throw it too, and
 * then nothing has changed.
 * @example
 * const keyring = createKeyring({ keys: [{ key, state: 'active' }] });
 * const issuer = createTokenIssuer({ key: keyring });
 * keyring.announce(privateKey(readFileSync('next.pem', 'utf8'), { kid: '2026-02' }));
 */
export function createKeyring(options: KeyringOptions): Keyring {
  refuseUnknownOptions(options, ['keys', 'maxLifetimeSeconds', 'toleranceSeconds', 'clock']);
  const lifetime = requireSeconds('maxLifetimeSeconds', options.maxLifetimeSeconds ?? 86_400, 1, 2 ** 31);
  const tolerance = requireSeconds('toleranceSeconds', options.toleranceSeconds ?? 60, 0, 3_600);
  const staysMs = (lifetime + tolerance) * 1_000;
  const clock = readClock(options.clock);
  /** When retired keys end by the monotonic clock: a wall clock that is set back gives them no longer life. */
  const deadlines = new WeakMap<KeyringKey, number>();

  const watched = (entry: KeyringKey, now: number): KeyringKey => {
    if (entry.retiredAt !== undefined) deadlines.set(entry, performance.now() + entry.retiredAt + staysMs - now);
    return entry;
  };

  const madeAt = clock();
  let ring = ringOf(readEntries(options.keys, madeAt).map((entry) => watched(entry, madeAt)));

  const replace = (entries: readonly KeyringKey[]): void => {
    ring = ringOf(entries);
  };

  /** The ring without the retired keys whose time is over. A time that is no number ends them all. */
  const current = (): Ring => {
    if (ring.entries.length === 1) return ring;
    const now = clock();
    const isOver = (entry: KeyringKey): boolean => {
      if (entry.retiredAt === undefined) return false;
      return !(now < entry.retiredAt + staysMs && performance.now() < (deadlines.get(entry) ?? 0));
    };
    if (!ring.entries.some(isOver)) return ring;
    const gone = ring.entries.filter(isOver);
    replace(ring.entries.filter((entry) => !gone.includes(entry)));
    for (const { key } of gone) publishRotation(key, 'removed');
    return ring;
  };

  const entryOf = (kid: string | undefined): KeyringKey => {
    const entry = current().entries.find(({ key }) => key.kid === kid);
    if (entry === undefined) throw configInvalid('kid', 'belongs to no key of the ring');
    return entry;
  };

  return Object.freeze({
    get keys(): readonly TokenKey[] {
      return current().keys;
    },
    get active(): TokenKey {
      return current().active;
    },
    get entries(): readonly KeyringKey[] {
      return current().entries;
    },
    announce(key: TokenKey): void {
      replace([...current().entries, Object.freeze({ key, state: 'next' })]);
      publishRotation(key, 'next');
    },
    promote(kid: string | undefined): void {
      const promoted = entryOf(kid);
      if (promoted.state !== 'next') throw configInvalid('kid', 'must be that of a next key');
      const retired = ring.active;
      const retiredAt = clock();
      replace(
        ring.entries.map((entry): KeyringKey => {
          if (entry === promoted) return Object.freeze({ key: entry.key, state: 'active' });
          if (entry.state !== 'active') return entry;
          return watched(Object.freeze({ key: entry.key, state: 'retired', retiredAt }), retiredAt);
        }),
      );
      publishRotation(promoted.key, 'active');
      publishRotation(retired, 'retired');
    },
    remove(kid: string | undefined): void {
      const removed = entryOf(kid);
      if (removed.state === 'active')
        throw configInvalid('kid', 'is that of the active key: promote another one first');
      replace(ring.entries.filter((entry) => entry !== removed));
      publishRotation(removed.key, 'removed');
    },
  });
}

function publishRotation({ kid = '' }: TokenKey, state: Rotation): void {
  publishAudit({ type: 'key.rotated', kid, state });
}
