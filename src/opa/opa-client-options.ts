import type { Dispatcher } from 'undici';
import { configInvalid, refuseUnknownOptions, requireWholeNumber } from '../core/config-invalid.ts';
import { type AccessRequest, type Clock, type MaybePromise, systemClock } from '../core/index.ts';
import type { MappedDecision } from './answer.ts';
import { bearer, type TokenSource } from './bearer.ts';
import { type OpaTarget, opaTarget } from './opa-target.ts';
import { checkedTls, type OpaTls } from './opa-tls.ts';

/** Remembers plain answers, by everything that was asked. */
export interface OpaCacheOptions {
  /** The least recently used answer goes first. Questions of more than 8,192 characters are not remembered. */
  readonly maxEntries: number;
  /** Milliseconds, counted from when the question was asked. An answer that ends earlier by itself is kept no longer. */
  readonly ttlMs: number;
  /** Names what the server decides by; when it changes, all is forgotten. Called for every question. */
  readonly revision?: () => string;
}

export interface OpaCircuitOptions {
  /** Failures without an answer between them after which the server is left alone. @default 5 */
  readonly failures?: number;
  /** Then one question in so many milliseconds is sent. @default 1000 */
  readonly probeMs?: number;
}

export interface OpaClientOptions {
  /** Where the policy server is, for example `http://127.0.0.1:8181`; a path prefix is kept. */
  readonly url: string;
  /** The rule to ask for, below `/v1/data/`. @default 'authz/allow' */
  readonly path?: string;
  /** Sent as `Authorization: Bearer`. A function is called for every call that is sent; when it fails, nothing is sent. */
  readonly token?: string | (() => MaybePromise<string>);
  /** Milliseconds for a whole decision: waiting for a connection and every call included. @default 2000 */
  readonly timeoutMs?: number;
  /** @default 65536 */
  readonly maxResponseBytes?: number;
  /** Connections kept to the server at most. @default 64 */
  readonly connections?: number;
  /** The authorities to trust, and the client's own certificate. */
  readonly tls?: OpaTls;
  /** Roles from the most to the least privileged; roles not listed are asked last. */
  readonly roleOrder?: readonly string[];
  /** Makes a policy's `input`; it is then asked once, whatever the roles. @default the document of the contract, role by role */
  readonly input?: (request: AccessRequest) => unknown;
  /** Reads a `result` that is not just true or false. Only `allowed: true` of the object's own allows. */
  readonly decision?: (result: unknown) => MappedDecision;
  /** Asks for the revisions of the policy's bundles, which become the decision's `revision`. @default false */
  readonly provenance?: boolean;
  /** Lets equal questions that are asked at the same time share one call. @default true */
  readonly singleFlight?: boolean;
  /** @default nothing is remembered */
  readonly cache?: OpaCacheOptions;
  /** Leaves a server alone that fails again and again; `false` for never. */
  readonly circuitBreaker?: OpaCircuitOptions | false;
  /** Bodies of more bytes are sent compressed. @default none */
  readonly gzipAboveBytes?: number;
  /** An undici dispatcher to send through; `close` leaves it open. */
  readonly dispatcher?: Dispatcher;
  /** For the cache and the circuit breaker. @default systemClock */
  readonly clock?: Clock;
}

export interface OpaClientSettings {
  readonly target: OpaTarget;
  readonly authorization: () => MaybePromise<string | undefined>;
  readonly timeoutMs: number;
  readonly maxResponseBytes: number;
  readonly connections: number;
  readonly tls: OpaTls | undefined;
  readonly roleOrder: readonly string[];
  readonly input: ((request: AccessRequest) => unknown) | undefined;
  readonly mapped: ((result: unknown) => MappedDecision) | undefined;
  readonly isShared: boolean;
  readonly cache: OpaCacheOptions | undefined;
  readonly circuit: Required<OpaCircuitOptions>;
  readonly gzipAboveBytes: number;
  readonly dispatcher: Dispatcher | undefined;
  readonly clock: Clock;
}

const OPTIONS: Readonly<Record<keyof OpaClientOptions, true>> = {
  url: true,
  path: true,
  token: true,
  timeoutMs: true,
  maxResponseBytes: true,
  connections: true,
  tls: true,
  roleOrder: true,
  input: true,
  decision: true,
  provenance: true,
  singleFlight: true,
  cache: true,
  circuitBreaker: true,
  gzipAboveBytes: true,
  dispatcher: true,
  clock: true,
};
const LONGEST_MS = 600_000;

/** @throws `CONFIG_INVALID` */
export function settingsOf(options: OpaClientOptions): OpaClientSettings {
  refuseUnknownOptions(options, Object.keys(OPTIONS));
  const { tls, dispatcher, input, decision: mapped } = options;
  if (tls !== undefined && dispatcher !== undefined) throw configInvalid('tls', 'has no effect beside dispatcher');
  if (input !== undefined && options.roleOrder !== undefined)
    throw configInvalid('roleOrder', 'has no effect beside input');
  const target = opaTarget(options.url, options.path ?? 'authz/allow');
  const timeoutMs = whole('timeoutMs', options.timeoutMs ?? 2_000, LONGEST_MS);
  return {
    target: flag('provenance', options.provenance, false) ? { ...target, path: `${target.path}?provenance` } : target,
    authorization: bearer(options.token as TokenSource | undefined, timeoutMs),
    timeoutMs,
    maxResponseBytes: whole('maxResponseBytes', options.maxResponseBytes ?? 65_536),
    connections: whole('connections', options.connections ?? 64),
    tls: tls === undefined ? undefined : checkedTls(tls, target.origin),
    roleOrder: [...new Set(options.roleOrder)],
    input: optionalFunction('input', input),
    mapped: optionalFunction('decision', mapped),
    isShared: flag('singleFlight', options.singleFlight, true),
    cache: options.cache === undefined ? undefined : checkedCache(options.cache),
    circuit: checkedCircuit(options.circuitBreaker ?? {}),
    gzipAboveBytes:
      options.gzipAboveBytes === undefined
        ? Number.POSITIVE_INFINITY
        : requireWholeNumber('gzipAboveBytes', options.gzipAboveBytes, 0, Number.MAX_SAFE_INTEGER),
    dispatcher,
    clock: optionalFunction('clock', options.clock) ?? systemClock,
  };
}

function checkedCache(cache: OpaCacheOptions): OpaCacheOptions {
  refuseUnknownOptions(cache, ['maxEntries', 'ttlMs', 'revision']);
  const revision = optionalFunction('cache.revision', cache.revision);
  return {
    maxEntries: whole('cache.maxEntries', cache.maxEntries, 10_000_000),
    ttlMs: whole('cache.ttlMs', cache.ttlMs, 86_400_000),
    ...(revision !== undefined && { revision }),
  };
}

function checkedCircuit(circuit: OpaCircuitOptions | false): Required<OpaCircuitOptions> {
  if (circuit === false) return { failures: Number.POSITIVE_INFINITY, probeMs: 1 };
  refuseUnknownOptions(circuit, ['failures', 'probeMs']);
  return {
    failures: whole('circuitBreaker.failures', circuit.failures ?? 5),
    probeMs: whole('circuitBreaker.probeMs', circuit.probeMs ?? 1_000, LONGEST_MS),
  };
}

function whole(field: string, value: unknown, most: number = Number.MAX_SAFE_INTEGER): number {
  return requireWholeNumber(field, value, 1, most);
}

function flag(field: string, value: unknown, otherwise: boolean): boolean {
  if (value === undefined) return otherwise;
  if (typeof value !== 'boolean') throw configInvalid(field, 'must be true or false');
  return value;
}

function optionalFunction<T extends (...args: never[]) => unknown>(field: string, value: T | undefined): T | undefined {
  if (value !== undefined && typeof value !== 'function') throw configInvalid(field, 'must be a function');
  return value;
}
