import jwt from 'jsonwebtoken';
import { configInvalid, refuseUnknownOptions } from '../core/config-invalid.ts';
import { type Clock, DoorwardError } from '../core/index.ts';
import { currentSigner } from './current-signer.ts';
import { MAX_TOKEN_LENGTH } from './jws.ts';
import type { SigningKeySet } from './key-set.ts';
import { readClock, readText, readTexts, requireMediaType, requireSeconds } from './options.ts';
import type { IssueClaims, TokenIssuer } from './result.ts';
import { createTokenIds } from './token-ids.ts';
import type { TokenKey } from './token-key.ts';

export interface TokenIssuerOptions {
  /** A key that can sign, from `secretKey` or `privateKey`, or a set of keys whose active one signs. */
  readonly key: TokenKey | SigningKeySet;
  /** Lifetime of a token, in whole seconds. @default 1800 */
  readonly ttlSeconds?: number;
  /** Becomes `iss`. */
  readonly issuer?: string;
  /** Becomes `aud`. */
  readonly audience?: string | readonly string[];
  /** The `typ` of the header (RFC 8725 section 3.11). @default 'JWT' */
  readonly typ?: string;
  /** @default systemClock */
  readonly clock?: Clock;
}

/**
 * Makes an issuer of compact JWTs. `iat`, `exp`, `jti` (128 random bits), and the configured `iss` and
 * `aud` are the issuer's alone: what a caller puts there is left out.
 *
 * @throws `CONFIG_INVALID` for an unknown or empty option and for a key that cannot sign, which `issue` throws
 * too as long as a key set has such a key as its active one. `issue` throws `INPUT_INVALID` for a `sub` that is no string of 1 to 256 characters, a `notAfter` that is no number, and
 * claims that make a token of more than 8,192 characters, and `AUTH_NOT_AUTHENTICATED` when `notAfter` has passed.
 * @example
 * const issuer = createTokenIssuer({ key, issuer: 'https://login.example.org' });
 * const token = issuer.issue({ sub: 'ada', uid: '17' });
 */
export function createTokenIssuer(options: TokenIssuerOptions): TokenIssuer {
  refuseUnknownOptions(options, ['key', 'ttlSeconds', 'issuer', 'audience', 'typ', 'clock']);
  const ttlSeconds = requireSeconds('ttlSeconds', options.ttlSeconds ?? 1_800, 1, 2 ** 31);
  if (!Number.isInteger(ttlSeconds)) throw configInvalid('ttlSeconds', 'must be a whole number');
  const clock = readClock(options.clock);
  const iss = readText(options, 'issuer');
  const audience = readTexts(options, 'audience');
  const aud = audience && single(audience);
  const typ = requireMediaType('typ', readText(options, 'typ') ?? 'JWT');
  const nextId = createTokenIds();
  const signer = currentSigner(options.key, typ);

  return Object.freeze({
    ttlSeconds,
    issue(claims: IssueClaims): string {
      const { sub, notAfter = Number.POSITIVE_INFINITY } = claims;
      const own = readTexts(claims, 'audience');
      requireSubject(sub);
      if (typeof notAfter !== 'number' || Number.isNaN(notAfter)) throw inputInvalid('notAfter', 'must be a number');
      const iat = Math.floor(clock() / 1_000);
      const exp = Math.min(iat + ttlSeconds, Math.floor(notAfter));
      if (!(exp > iat)) throw new DoorwardError('AUTH_NOT_AUTHENTICATED');
      const added = { iss, aud: own === undefined ? aud : single(own), iat, exp, jti: nextId() };
      const payload = Object.assign({}, claims, { notAfter: undefined, audience: undefined, ...added });
      const { key, signing } = signer();
      // As text, because jsonwebtoken would replace an `iat` of 0 in an object by the machine's time.
      const token = jwt.sign(JSON.stringify(payload), key, signing);
      if (token.length > MAX_TOKEN_LENGTH) throw inputInvalid('claims', 'make the token too long');
      return token;
    },
  });
}

/** RFC 7519 section 4.1.3 lets one audience stand without a list. */
function single(audience: readonly string[]): string | readonly string[] {
  return audience.length === 1 ? (audience[0] ?? []) : audience;
}

function requireSubject(sub: unknown): void {
  if (typeof sub !== 'string' || sub === '' || sub.length > 256) {
    throw inputInvalid('sub', 'must be a string of 1 to 256 characters');
  }
}

function inputInvalid(field: string, problem: string): DoorwardError {
  return new DoorwardError('INPUT_INVALID', { field, problem });
}
