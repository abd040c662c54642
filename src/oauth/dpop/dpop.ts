import { createHash } from 'node:crypto';
import { ASYMMETRIC_ALGORITHMS, type AsymmetricAlgorithm } from '../../core/asymmetric-algorithms.ts';
import { boundedOnceStore } from '../../core/bounded-once-store.ts';
import { configInvalid, refuseUnknownOptions, requireWholeNumber } from '../../core/config-invalid.ts';
import { type Caller, type Clock, type OnceStore, publishAudit, systemClock } from '../../core/index.ts';
import type { JsonObject } from '../../core/json-object.ts';
import { originOf } from '../../core/origin.ts';
import { ownProperty } from '../../core/own-property.ts';
import { OAuthError } from '../oauth-error.ts';
import type { DpopResult, DpopSubject, DpopVerifier } from '../parts.ts';
import { comparableAddress } from './dpop-address.ts';
import { readSignedProof, type SignedProof } from './dpop-proof.ts';

export interface DpopVerifierOptions {
  /** Remembers used proofs; all processes that one client may reach share it. */
  readonly once: OnceStore;
  /** @default ['ES256', 'RS256', 'PS256'] */
  readonly algorithms?: readonly AsymmetricAlgorithm[];
  /** How old a proof may be, in seconds, 1 to 600; it is remembered for as long. @default 300 */
  readonly maxAgeSeconds?: number;
  /** How far ahead of ours the clock of a client may be, in seconds, 0 to 60. @default 60 */
  readonly toleranceSeconds?: number;
  /** Deadline of the call of the store, in milliseconds. @default 3000 */
  readonly storeTimeoutMs?: number;
  /** @default systemClock */
  readonly clock?: Clock;
}

/** How old a proof may be, and how far ahead, in milliseconds. */
interface Window {
  readonly maxAgeMs: number;
  readonly toleranceMs: number;
}

const OPTIONS: readonly (keyof DpopVerifierOptions)[] = [
  ...(['once', 'algorithms', 'maxAgeSeconds', 'toleranceSeconds', 'storeTimeoutMs', 'clock'] as const),
];
const MAX_JTI_LENGTH = 256;

/**
 * Makes the verifier of DPoP proofs (RFC 9449 section 4.3). A proof is good once, for one method, one address
 * and, where there is one, one access token and the key that this token is bound to.
 *
 * @throws `CONFIG_INVALID` for an option that cannot be meant. `verify` throws `SERVICE_UNAVAILABLE` when the store
 * fails, and nothing for a proof that is not good.
 * @example
 * const verifier = createDpopVerifier({ once: createMemoryOnceStore() });
 * const proof = await verifier.verify(request.headers.get('dpop'), {
 *   method: request.method,
 *   url: 'https://api.example.org/posts',
 *   accessToken,
 *   thumbprint: claims.cnf.jkt,
 * });
 * if (!proof.ok) throw new DoorwardError('AUTH_NOT_AUTHENTICATED');
 */
export function createDpopVerifier(options: DpopVerifierOptions): DpopVerifier {
  refuseUnknownOptions(options, OPTIONS);
  const { algorithms = ASYMMETRIC_ALGORITHMS, maxAgeSeconds = 300, toleranceSeconds = 60 } = options;
  const { storeTimeoutMs = 3_000, clock = systemClock } = options;
  if (typeof options.once?.once !== 'function') throw configInvalid('once', 'must be a store of what may happen once');
  if (
    !Array.isArray(algorithms) ||
    algorithms.length === 0 ||
    !algorithms.every((name) => ASYMMETRIC_ALGORITHMS.includes(name))
  ) {
    throw configInvalid('algorithms', 'must be a non-empty list of ES256, PS256 and RS256');
  }
  requireWholeNumber('maxAgeSeconds', maxAgeSeconds, 1, 600);
  requireWholeNumber('toleranceSeconds', toleranceSeconds, 0, 60);
  requireWholeNumber('storeTimeoutMs', storeTimeoutMs, 1, 600_000);
  if (typeof clock !== 'function') throw configInvalid('clock', 'must be a function');
  const accepted = [...algorithms];
  const once = boundedOnceStore(options.once, storeTimeoutMs);
  const window: Window = { maxAgeMs: maxAgeSeconds * 1_000, toleranceMs: toleranceSeconds * 1_000 };

  const judge = async (proof: unknown, about: DpopSubject): Promise<DpopResult> => {
    const signed = readSignedProof(proof, accepted);
    if (typeof signed === 'string') return { ok: false, reason: signed };
    const { claims, thumbprint } = signed;
    const now = clock();
    const reason = subjectProblem(signed, about) ?? timeProblem(claims, now, window);
    if (reason !== undefined) return { ok: false, reason };
    const jti = ownProperty(claims, 'jti');
    if (typeof jti !== 'string' || jti === '' || jti.length > MAX_JTI_LENGTH) return { ok: false, reason: 'claims' };
    const isFirst = await once.once(onceKey(thumbprint, jti), forgottenAt(claims, window), now);
    return isFirst ? { ok: true, thumbprint } : { ok: false, reason: 'replayed' };
  };

  return Object.freeze({
    async verify(proof: unknown, about: DpopSubject): Promise<DpopResult> {
      const result = await judge(proof, about);
      if (!result.ok) publishAudit({ type: 'proof.rejected', reason: result.reason, ...originOf(about.caller ?? {}) });
      return result;
    },
  });
}

/**
 * Reads the proof that a request of the token endpoint may carry.
 *
 * @param url - the address of the endpoint, as the metadata has it
 * @returns the thumbprint of the key that the tokens shall be bound to; `undefined` without a proof
 * @throws `OAuthError` `invalid_dpop_proof`, and `SERVICE_UNAVAILABLE`
 */
export async function readDpop(
  { method, headers }: Request,
  url: string,
  verifier: DpopVerifier,
  caller: Caller = {},
): Promise<string | undefined> {
  const proof = headers.get('dpop');
  if (proof === null) return undefined;
  const result = await verifier.verify(proof, { method, url, caller });
  if (!result.ok) throw new OAuthError('invalid_dpop_proof');
  return result.thumbprint;
}

function subjectProblem({ claims, thumbprint }: SignedProof, about: DpopSubject): string | undefined {
  const { method, url, accessToken } = about;
  if (typeof method !== 'string' || ownProperty(claims, 'htm') !== method) return 'method';
  const address = comparableAddress(ownProperty(claims, 'htu'));
  if (address === undefined || address !== comparableAddress(url)) return 'address';
  if (accessToken !== undefined && ownProperty(claims, 'ath') !== sha256(accessToken)) return 'access_token';
  // Who looked for the key of a token and found none does not mean any key.
  return !Object.hasOwn(about, 'thumbprint') || about.thumbprint === thumbprint ? undefined : 'other_key';
}

function timeProblem(claims: JsonObject, now: number, { maxAgeMs, toleranceMs }: Window): string | undefined {
  const age = now - issuedAt(claims);
  if (age > maxAgeMs) return 'expired';
  if (-age > toleranceMs) return 'not_yet_valid';
  // Without an `iat`, or with a clock that gives no time, the age is no number.
  return Number.isFinite(age) ? undefined : 'claims';
}

/** Epoch milliseconds; `NaN` without one. */
function issuedAt(claims: JsonObject): number {
  const iat = ownProperty(claims, 'iat');
  return typeof iat === 'number' ? iat * 1_000 : Number.NaN;
}

/** After the proof has become too old by the clock of every process: theirs may be behind by the tolerance. */
function forgottenAt(claims: JsonObject, { maxAgeMs, toleranceMs }: Window): number {
  return Math.ceil(issuedAt(claims)) + maxAgeMs + toleranceMs + 1_000;
}

/** By key: what one client calls its proofs says nothing about those of another. */
function onceKey(thumbprint: string, jti: string): string {
  return `dpop.${sha256(`${thumbprint}.${jti}`)}`;
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
