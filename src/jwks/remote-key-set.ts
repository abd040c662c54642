import { DoorwardError, type MaybePromise, publishAudit } from '../core/index.ts';
import type { KeySet, TokenKey } from '../tokens/index.ts';
import { discoverKeyAddress, metadataAddress } from './discovery.ts';
import { fetchJson } from './fetch-json.ts';
import { KeySourceError } from './key-source-error.ts';
import { readJwks } from './read-jwks.ts';
import { type RemoteKeySetOptions, readRemoteSettings } from './remote-options.ts';

/** The keys of another party, fetched when they are needed and kept for a while. */
export interface RemoteKeySet extends KeySet {
  /** The keys as they were last fetched; none before the first time, and none once they are too old. */
  readonly keys: readonly TokenKey[];
  /** Fetches now: when the server starts, to find a wrong address before the first token does. */
  load(): Promise<void>;
  /**
   * Sees to it that the keys are as they must be to judge a token. Without a promise they are. An unknown `kid`
   * fetches them again, unless that was tried a moment ago.
   *
   * @throws `SERVICE_UNAVAILABLE` when nobody can tell, `SERVICE_BUSY` when too many wait for the same answer.
   */
  ready(kid?: string): MaybePromise<void>;
  /** Ends the fetch under way. Whoever asks later gets `SERVICE_UNAVAILABLE`. */
  close(): void;
}

const NO_KEYS: readonly TokenKey[] = Object.freeze([]);
const MAX_WAITING = 1_000;

/**
 * Makes a set of remote keys (RFC 7517 section 5). There is one fetch at a time, and a pause after each, also after
 * a failed one. A token of a known `kid` never waits for a fetch that an unknown one caused. Keys that
 * cannot be fetched again are used on for `maxStaleSeconds`; every failure is published as `keys.unavailable`.
 *
 * @throws `CONFIG_INVALID` for an unknown option, for an address that is neither `https` nor on this machine, and
 * unless exactly one of `url` and `issuer` is given. `load` throws `SERVICE_UNAVAILABLE`.
 * @example
 * const remote = createRemoteKeySet({ url: 'https://login.example.org/jwks' });
 * await remote.load();
 */
export function createRemoteKeySet(options: RemoteKeySetOptions): RemoteKeySet {
  const settings = readRemoteSettings(options);
  const { issuer, discovery, maxAgeMs, cooldownMs, maxStaleMs, monotonicClock: now } = settings;
  const closing = new AbortController();
  const limits = { ...settings, signal: closing.signal };
  let address = settings.url;
  let keys = NO_KEYS;
  let kids: ReadonlySet<unknown> = new Set();
  let fetchedAt = Number.NEGATIVE_INFINITY;
  let attemptedAt = Number.NEGATIVE_INFINITY;
  let isFailing = false;
  let flight: Promise<boolean> | undefined;
  let waiting = 0;

  const fetchKeys = async (): Promise<readonly TokenKey[]> => {
    if (issuer !== undefined) address ??= await discoverKeyAddress(issuer, discovery, limits);
    if (address === undefined) throw new KeySourceError('address');
    return readJwks(await fetchJson(address, limits), settings.algorithms);
  };

  const attempt = async (): Promise<boolean> => {
    try {
      const fetched = await fetchKeys();
      if (!areSame(keys, fetched)) keys = fetched;
      kids = new Set(keys.map(({ kid }) => kid));
      fetchedAt = now();
      isFailing = false;
    } catch (error) {
      isFailing = true;
      // The issuer may have moved its keys: the next attempt asks it where they are.
      address = settings.url;
      if (!closing.signal.aborted) publishFailure(error);
    } finally {
      flight = undefined;
    }
    return !isFailing;
  };

  const publishFailure = (error: unknown): void => {
    const { origin, pathname } = settings.url ?? metadataAddress(issuer ?? '', discovery);
    const reason = error instanceof KeySourceError ? error.reason : 'malformed';
    publishAudit({ type: 'keys.unavailable', source: `${origin}${pathname}`, reason });
  };

  const join = (): Promise<boolean> => {
    if (flight === undefined) {
      attemptedAt = now();
      flight = attempt();
    }
    return flight;
  };

  const mayJoin = (): boolean => flight !== undefined || now() - attemptedAt >= cooldownMs;

  /** Waits for the source, and tells whether it answered. */
  const answered = async (): Promise<boolean> => {
    if (waiting >= MAX_WAITING) throw new DoorwardError('SERVICE_BUSY', { retryAfterSeconds: 1 });
    waiting++;
    try {
      const isAnswered = await join();
      if (closing.signal.aborted) throw unavailable();
      return isAnswered;
    } finally {
      waiting--;
    }
  };

  /** Without an answer, and no time for another attempt, nobody can tell. */
  const fetched = async (): Promise<void> => {
    if (!(await answered())) throw unavailable();
  };

  const unavailable = (): DoorwardError => {
    const seconds = Math.ceil((attemptedAt + cooldownMs - now()) / 1_000);
    return new DoorwardError('SERVICE_UNAVAILABLE', { retryAfterSeconds: Math.max(1, seconds) });
  };

  const usable = (): readonly TokenKey[] => {
    if (keys !== NO_KEYS && !(now() - fetchedAt < maxAgeMs + maxStaleMs)) keys = NO_KEYS;
    return keys;
  };

  /** Fresh keys are there at once; ageing ones are too, and are fetched again behind the scenes. */
  const refreshed = (): MaybePromise<void> => {
    const age = now() - fetchedAt;
    if (age < maxAgeMs || !mayJoin()) return;
    if (!isFailing && !(age < 2 * maxAgeMs)) return answered().then(() => undefined);
    void join();
  };

  return Object.freeze({
    get keys(): readonly TokenKey[] {
      return usable();
    },
    async load(): Promise<void> {
      if (closing.signal.aborted || !(await join())) throw unavailable();
    },
    ready(kid?: string): MaybePromise<void> {
      if (closing.signal.aborted) throw unavailable();
      if (usable().length > 0) {
        if (kid === undefined || kids.has(kid)) return refreshed();
        // The pause after an answer is what makes unknown kids cheap: the last answer did not name this one.
        if (!mayJoin() && !isFailing) return;
      }
      if (!mayJoin()) throw unavailable();
      return fetched();
    },
    close(): void {
      closing.abort();
    },
  });
}

/** The same keys stay the same array object, so that verifiers keep what they have worked out. */
function areSame(some: readonly TokenKey[], others: readonly TokenKey[]): boolean {
  return (
    some.length === others.length &&
    some.every(({ kid, alg, verify }, index) => {
      const other = others[index];
      return other !== undefined && other.kid === kid && other.alg === alg && other.verify.equals(verify);
    })
  );
}
