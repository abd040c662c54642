import { ASYMMETRIC_ALGORITHMS } from '../core/asymmetric-algorithms.ts';
import { configInvalid, refuseUnknownOptions, requireWholeNumber } from '../core/config-invalid.ts';
import { readText, readTexts, requireSeconds } from '../tokens/options.ts';
import { requireIssuerAddress, requireKeyAddress } from './address.ts';
import type { Discovery } from './discovery.ts';
import type { FetchJson } from './fetch-json.ts';
import type { RemoteAlgorithm } from './read-jwks.ts';

/** How keys of another party are fetched and kept. */
export interface RemoteKeyOptions {
  /** The accepted algorithms. An RSA key that names none has the first of RS256 and PS256 that is listed. @default ['ES256', 'RS256', 'PS256'] */
  readonly algorithms?: readonly RemoteAlgorithm[];
  /** The metadata document that names the keys, where only the issuer is given. @default 'openid-configuration' */
  readonly discovery?: Discovery;
  /** Keys older than this are fetched again, 1 to 86400 and no less than `cooldownSeconds`. @default 600 */
  readonly maxAgeSeconds?: number;
  /** Shortest time from one attempt to the next, whatever tokens ask for, 1 to 3600. @default 30 */
  readonly cooldownSeconds?: number;
  /** How long keys are used that cannot be fetched again, 0 to 604800. @default 86400 */
  readonly maxStaleSeconds?: number;
  /** Milliseconds for one exchange, the body included, 1 to 60000. @default 5000 */
  readonly timeoutMs?: number;
  /** The longest document, in bytes. @default 65536 */
  readonly maxBytes?: number;
  /** Sends the requests. @default globalThis.fetch */
  readonly fetch?: FetchJson;
  /** Milliseconds by a clock that nobody sets. @default () => performance.now() */
  readonly monotonicClock?: () => number;
}

export interface RemoteKeySetOptions extends RemoteKeyOptions {
  /** The address of the JWK Set. Either this or `issuer`. */
  readonly url?: string;
  /** The issuer, exactly as its metadata spells it: the address of the keys is found through it. */
  readonly issuer?: string;
}

/** The options, checked, with their defaults, in milliseconds. */
export interface RemoteSettings {
  readonly issuer: string | undefined;
  readonly url: URL | undefined;
  readonly discovery: Discovery;
  readonly algorithms: readonly RemoteAlgorithm[];
  readonly maxAgeMs: number;
  readonly cooldownMs: number;
  readonly maxStaleMs: number;
  readonly timeoutMs: number;
  readonly maxBytes: number;
  readonly fetch: FetchJson;
  readonly monotonicClock: () => number;
}

export const REMOTE_KEY_OPTIONS: readonly string[] = [
  ...['algorithms', 'discovery', 'maxAgeSeconds', 'cooldownSeconds', 'maxStaleSeconds'],
  ...['timeoutMs', 'maxBytes', 'fetch', 'monotonicClock'],
];
const DISCOVERIES: readonly unknown[] = ['openid-configuration', 'oauth-authorization-server'] satisfies Discovery[];

/** Checks the options of a key set. @throws `CONFIG_INVALID` */
export function readRemoteSettings(options: RemoteKeySetOptions): RemoteSettings {
  refuseUnknownOptions(options, ['url', 'issuer', ...REMOTE_KEY_OPTIONS]);
  const address = readText(options, 'url');
  const issuer = readText(options, 'issuer');
  if ((address === undefined) === (issuer === undefined)) {
    throw configInvalid('url', 'must be given, or else the issuer to find it through');
  }
  if (issuer !== undefined) requireIssuerAddress(issuer);
  const { discovery = 'openid-configuration', fetch = globalThis.fetch } = options;
  const { monotonicClock = () => performance.now() } = options;
  if (!DISCOVERIES.includes(discovery)) throw configInvalid('discovery', 'must name a metadata document');
  for (const [name, value] of Object.entries({ fetch, monotonicClock })) {
    if (typeof value !== 'function') throw configInvalid(name, 'must be a function');
  }
  const seconds = (name: keyof RemoteKeyOptions, usual: number, least: number, most: number): number =>
    requireSeconds(name, options[name] ?? usual, least, most) * 1_000;
  const maxAgeMs = seconds('maxAgeSeconds', 600, 1, 86_400);
  const cooldownMs = seconds('cooldownSeconds', 30, 1, 3_600);
  if (maxAgeMs < cooldownMs) throw configInvalid('maxAgeSeconds', 'must be at least cooldownSeconds');
  return {
    issuer,
    url: address === undefined ? undefined : requireKeyAddress('url', address),
    discovery,
    algorithms: readAlgorithms(options),
    maxAgeMs,
    cooldownMs,
    maxStaleMs: seconds('maxStaleSeconds', 86_400, 0, 604_800),
    timeoutMs: requireWholeNumber('timeoutMs', options.timeoutMs ?? 5_000, 1, 60_000),
    maxBytes: requireWholeNumber('maxBytes', options.maxBytes ?? 65_536, 1, 2 ** 20),
    fetch,
    monotonicClock,
  };
}

export function readAlgorithms(options: RemoteKeyOptions): readonly RemoteAlgorithm[] {
  const names = readTexts(options, 'algorithms') ?? ASYMMETRIC_ALGORITHMS;
  const known = names.flatMap((name) => ASYMMETRIC_ALGORITHMS.filter((alg) => alg === name));
  if (known.length < names.length) throw configInvalid('algorithms', 'must be among RS256, PS256 and ES256');
  return known;
}
