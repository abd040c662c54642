import type { Clock } from '../core/index.ts';
import { parseJsonObject } from '../core/json-object.ts';
import { type ClaimsRules, isClaims, rejectionOf } from './claims-check.ts';
import { createJwsVerifier } from './jws.ts';
import { readClock, readText, readTexts, refuseUnknownOptions, requireMediaType, requireSeconds } from './options.ts';
import type { TokenRejection, TokenResult, TokenVerifier } from './result.ts';
import type { TokenKey } from './token-key.ts';

export interface TokenVerifierOptions {
  /**
   * The keys, each with its one algorithm. A token that names a `kid` is checked with the key of that
   * `kid` and with no other; one that names none, with the only key or with the one key without `kid`.
   */
  readonly keys: readonly TokenKey[];
  /** The exact `iss` that every token must have. Without it `iss` is not looked at. */
  readonly issuer?: string;
  /** A token's `aud` must name one of these. Without it, a token that has an `aud` is for someone else. */
  readonly audience?: string | readonly string[];
  /** The accepted `typ` of the header, without regard to case and to a leading `application/`. @default ['JWT'] */
  readonly types?: readonly string[];
  /** How far the clocks may be apart, 0 to 60. Leave it at 0 for tokens of this server. @default 0 */
  readonly toleranceSeconds?: number;
  /** The longest accepted time from `iat` to `exp`. @default 86400 */
  readonly maxLifetimeSeconds?: number;
  /** @default systemClock */
  readonly clock?: Clock;
}

const OPTIONS = ['keys', 'issuer', 'audience', 'types', 'toleranceSeconds', 'maxLifetimeSeconds', 'clock'];

/**
 * Makes a verifier of compact JWTs (RFC 7519 section 7.2, RFC 8725). It answers at once, takes any
 * value, and never throws.
 *
 * @throws `CONFIG_INVALID` for an option that is unknown or would check nothing, and for weak or
 * ambiguous keys.
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
  const verifyJws = createJwsVerifier(options.keys, types);

  const verify = (token: unknown): TokenResult => {
    const jws = verifyJws(token);
    if (typeof jws === 'string') return refused(jws);
    if (!acceptedTypes.has(bareType(jws.typ))) return refused('type');
    const payload = parseJsonObject(jws.payload);
    if (payload === undefined) return refused('malformed');
    if (!isClaims(payload)) return refused('claims');
    const reason = rejectionOf(payload, Math.floor(clock() / 1_000), rules);
    return reason === undefined ? { ok: true, claims: payload } : refused(reason);
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

/** RFC 7515 section 4.1.9: `application/` may be left out, and media types are compared without case. */
function bareType(typ: unknown): string | undefined {
  return typeof typ === 'string' ? typ.toLowerCase().replace(/^application\//, '') : undefined;
}
