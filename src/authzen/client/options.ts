import { type Dispatcher, Pool } from 'undici';
import { bearerToken } from '../../core/bearer-token.ts';
import { configInvalid, refuseUnknownOptions, requireWholeNumber } from '../../core/config-invalid.ts';
import type { JsonObject } from '../../core/json-object.ts';
import { baseAddress } from '../base-address.ts';

/** The names of the attributes that leave the process; all that JSON can hold where a list is absent. */
export interface SentAttributes {
  readonly subject?: readonly string[];
  readonly resource?: readonly string[];
  readonly environment?: readonly string[];
}

export interface AuthzenClientOptions {
  /** The decision point, for example `https://pdp.example.com/tenant1`. */
  readonly url: string;
  /** Sent as `Authorization: Bearer`. */
  readonly token?: string;
  /** Whether the addresses of the APIs come from the metadata of the decision point. @default false */
  readonly discovery?: boolean;
  /** The AuthZEN type of every subject. @default 'user' */
  readonly subjectType?: string;
  /** @default all */
  readonly sends?: SentAttributes;
  /**
   * Tells whether this enforcement point will do what the context of an allow asks for; otherwise it is denied.
   * @default accepts a context without `obligations`
   */
  readonly understands?: (context: JsonObject) => boolean;
  /** Milliseconds for a whole `decide`, `decideAll` or search, discovery included. @default 2000 */
  readonly timeoutMs?: number;
  /** Bytes of one answer. @default 1048576 */
  readonly maxResponseBytes?: number;
  /** Evaluations in one request of `decideAll`. @default 100 */
  readonly batchSize?: number;
  /** Requests of one `decideAll` that are under way at once. @default 4 */
  readonly concurrency?: number;
  /** Connections kept to the decision point at most. @default 64 */
  readonly connections?: number;
  /** An undici dispatcher to send through, for example one with a client certificate; `close` leaves it open. */
  readonly dispatcher?: Dispatcher;
}

export interface ClientSettings {
  readonly base: string;
  readonly origin: string;
  readonly token: string | undefined;
  readonly discovery: boolean;
  readonly subjectType: string;
  readonly sends: SentAttributes;
  readonly understands: (context: JsonObject) => boolean;
  readonly timeoutMs: number;
  readonly maxResponseBytes: number;
  readonly batchSize: number;
  readonly concurrency: number;
  readonly dispatcher: Dispatcher;
  close(): Promise<void>;
}

const NAMES = [
  ...['url', 'token', 'discovery', 'subjectType', 'sends', 'understands', 'timeoutMs', 'maxResponseBytes'],
  ...['batchSize', 'concurrency', 'connections', 'dispatcher'],
];

/** The options with their defaults, checked. @throws `CONFIG_INVALID` */
export function clientSettings(options: AuthzenClientOptions): ClientSettings {
  refuseUnknownOptions(options, NAMES);
  const { url, subjectType = 'user', sends = {}, understands = withoutObligations, discovery = false } = options;
  refuseUnknownOptions(sends, ['subject', 'resource', 'environment']);
  for (const [part, names] of Object.entries(sends)) {
    const isList = Array.isArray(names) && names.every((name) => typeof name === 'string');
    if (!isList) throw configInvalid(`sends.${part}`, 'must be a list of names');
  }
  if (typeof subjectType !== 'string' || subjectType === '') throw configInvalid('subjectType', 'must be a name');
  if (typeof understands !== 'function') throw configInvalid('understands', 'must be a function');
  if (typeof discovery !== 'boolean') throw configInvalid('discovery', 'must be a boolean');
  const { origin } = baseAddress('url', url);
  const timeoutMs = requireWholeNumber('timeoutMs', options.timeoutMs ?? 2_000, 1, 600_000);
  const connections = requireWholeNumber('connections', options.connections ?? 64, 1, 10_000);
  const pool = options.dispatcher ?? new Pool(origin, { connections, connect: { timeout: timeoutMs } });
  let closed: Promise<void> | undefined;
  return {
    base: url,
    origin,
    token: bearerToken('token', options.token),
    discovery,
    subjectType,
    sends,
    understands,
    timeoutMs,
    maxResponseBytes: requireWholeNumber('maxResponseBytes', options.maxResponseBytes ?? 1_048_576, 1, 2 ** 30),
    batchSize: requireWholeNumber('batchSize', options.batchSize ?? 100, 1, 10_000),
    concurrency: requireWholeNumber('concurrency', options.concurrency ?? 4, 1, 64),
    dispatcher: pool,
    close: () => (closed ??= options.dispatcher === undefined ? pool.close() : Promise.resolve()),
  };
}

/** Whoever cannot comply with an obligation must deny (AuthZEN, profile "Obligations"). */
function withoutObligations(context: JsonObject): boolean {
  return !Object.hasOwn(context, 'obligations');
}
