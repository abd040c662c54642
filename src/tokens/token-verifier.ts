import { refuseUnknownOptions } from '../core/config-invalid.ts';
import type { Clock } from '../core/index.ts';
import { parseJsonObject } from '../core/json-object.ts';
import { type ClaimsRules, isClaims, rejectionOf, untimelinessOf } from './claims-check.ts';
import { currentKeys } from './current-keys.ts';
import { freezeDeeply } from './freeze-deeply.ts';
import { type JwsVerifier, MAX_TOKEN_LENGTH } from './jws.ts';
import type { KeySet } from './key-set.ts';
import { readClock, readFlag, readText, readTexts, requireMediaType, requireSeconds } from './options.ts';
import type { Claims, TokenRejection, TokenResult, TokenVerifier } from './result.ts';
import { type RevocationOptions, readRevocation } from './revocation.ts';
import type { TokenKey } from './token-key.ts';
import { readCache, type TokenCacheOptions, type VerifiedCache, type VerifiedToken } from './verified-cache.ts';

export interface TokenVerifierOptions extends RevocationOptions {
  /**
   * The keys, each with its one algorithm, or a set of them that changes while the server runs. A token that
   * names a `kid` is checked with the key of that `kid` and with no other; one that names none, with the only
   * key or with the one key without `kid`.
   */
  readonly keys: readonly TokenKey[] | KeySet;
  /** The exact `iss` that every token must have. Without it `iss` is not looked at. */
  readonly issuer?: string;
  /** A token's `aud` must name one of these. Without it, a token that has an `aud` is for someone else. */
  readonly audience?: string | readonly string[];
  /** The accepted `typ` of the header, without regard to case and to a leading `application/`. @default ['JWT'] */
  readonly types?: readonly string[];
  /** Whether a token whose header says nothing of its type is accepted too, as some issuers make them. @default false */
  readonly allowUntyped?: boolean;
  /** How far the clocks may be apart, 0 to 60. Leave it at 0 for tokens of this server. @default 0 */
  readonly toleranceSeconds?: number;
  /** The longest accepted time from `iat` to `exp`. @default 86400 */
  readonly maxLifetimeSeconds?: number;
  /** Remembers accepted tokens, as they are, in memory. @default off */
  readonly cache?: TokenCacheOptions;
  /** @default systemClock */
  readonly clock?: Clock;
}

const OPTIONS = [
  ...['keys', 'issuer', 'audience', 'types', 'allowUntyped', 'toleranceSeconds', 'maxLifetimeSeconds'],
  ...['cache', 'isRevoked', 'clock'],
];

/**
 * Makes a verifier of compact JWTs (RFC 7519 section 7.2, RFC 8725). It answers at once, takes any
 * value, and never throws.
 *
 * @throws `CONFIG_INVALID` for an option that is unknown or would check nothing, and for weak or
 * ambiguous keys. A key set that becomes unusable later makes every answer a refusal.
 * @example
 * const verifier = createTokenVerifier({ keys: [key], issuer: 'https://login.example.org' });
 * const result = verifier.verify(token);
 * if (result.ok) console.log(result.claims.sub);
 */
export function createTokenVerifier(options: TokenVerifierOptions): TokenVerifier {
  refuseUnknownOptions(options, OPTIONS);
  const rules: ClaimsRules = {
    issuer: readText(options, 'issuer'),
    audience: readTexts(options, 'audience'),
    toleranceSeconds: requireSeconds('toleranceSeconds', options.toleranceSeconds ?? 0, 0, 60),
    maxLifetimeSeconds: requireSeconds('maxLifetimeSeconds', options.maxLifetimeSeconds ?? 86_400, 1, 2 ** 31),
  };
  const clock = readClock(options.clock);
  const types = readTexts(options, 'types') ?? ['JWT'];
  for (const typ of types) requireMediaType('types', typ);
  const acceptedTypes = new Set<unknown>(types.map(bareType));
  const allowUntyped = readFlag(options, 'allowUntyped');
  const isType = (typ: unknown): boolean => (typ === undefined ? allowUntyped : acceptedTypes.has(bareType(typ)));
  const isRevoked = readRevocation(options);
  const cache = readCache(options.cache);
  const keysNow = currentKeys(options.keys, types, () => cache?.clear());

  const verifyAnew = (token: unknown, verifyJws: JwsVerifier): TokenResult => {
    const jws = verifyJws(token);
    if (typeof jws === 'string') return refused(jws);
    if (!isType(jws.typ)) return refused('type');
    const claims = parseJsonObject(jws.payload);
    if (claims === undefined) return refused('malformed');
    if (!isClaims(claims)) return refused('claims');
    const now = clock();
    const reason = rejectionOf(claims, Math.floor(now / 1_000), rules);
    if (reason !== undefined) return refused(reason);
    const result = { ok: true, claims } as const;
    if (cache !== undefined) remember(cache, String(token), result, endOf(claims, rules) - now);
    return result;
  };

  const verifyAgain = ({ result, deadline }: VerifiedToken): TokenResult => {
    const reason = untimelinessOf(result.claims, Math.floor(clock() / 1_000), rules.toleranceSeconds);
    if (reason !== undefined) return refused(reason);
    // A wall clock that was set back does not give a token a second life.
    return performance.now() < deadline ? result : refused('expired');
  };

  const verify = (token: unknown): TokenResult => {
    // Before anything is remembered: other keys empty the cache.
    const verifyJws = keysNow();
    const isShort = typeof token === 'string' && token.length <= MAX_TOKEN_LENGTH;
    const known = isShort ? cache?.find(token) : undefined;
    const result = known === undefined ? verifyAnew(token, verifyJws) : verifyAgain(known);
    return result.ok && isRevoked(result.claims) ? refused('revoked') : result;
  };

  return Object.freeze({
    verify(token: unknown): TokenResult {
      try {
        return verify(token);
      } catch {
        // For example a clock that throws: whatever went wrong, nothing is accepted.
        return refused('malformed');
      }
    },
  });
}

function refused(reason: TokenRejection): TokenResult {
  return { ok: false, reason };
}

/** When a token ends, in epoch milliseconds. */
function endOf({ exp }: Claims, { toleranceSeconds }: ClaimsRules): number {
  return (exp + toleranceSeconds) * 1_000;
}

function remember(cache: VerifiedCache, token: string, result: VerifiedToken['result'], remainingMs: number): void {
  freezeDeeply(result);
  cache.keep({ token, result, deadline: performance.now() + remainingMs });
}

/** RFC 7515 section 4.1.9: `application/` may be left out, and media types are compared without case. */
export function bareType(typ: unknown): string | undefined {
  return typeof typ === 'string' ? typ.toLowerCase().replace(/^application\//, '') : undefined;
}
