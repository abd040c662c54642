import type { JsonObject } from '../core/json-object.ts';
import { ownProperty } from '../core/own-property.ts';
import type { Claims, TokenRejection } from './result.ts';

/** What the claims of an acceptable token must say. */
export interface ClaimsRules {
  readonly issuer: string | undefined;
  readonly audience: readonly string[] | undefined;
  readonly toleranceSeconds: number;
  readonly maxLifetimeSeconds: number;
}

const MAX_TEXT = 256;

/** Tells whether every registered claim that is there has its type, and none of the required ones is missing (RFC 7519 section 4.1). */
export function isClaims(payload: JsonObject): payload is Claims {
  return (
    isText(ownProperty(payload, 'sub')) &&
    Number.isSafeInteger(ownProperty(payload, 'iat')) &&
    Number.isSafeInteger(ownProperty(payload, 'exp')) &&
    isAbsentOr(Number.isSafeInteger, ownProperty(payload, 'nbf')) &&
    isAbsentOr(isText, ownProperty(payload, 'jti')) &&
    isAbsentOr(isString, ownProperty(payload, 'iss')) &&
    isAbsentOr(isAudience, ownProperty(payload, 'aud')) &&
    !Object.hasOwn(payload, '__proto__')
  );
}

/**
 * Judges well-typed claims at a time. Every comparison is written so that a time that is no number refuses.
 *
 * @param now seconds since the epoch, rounded down.
 */
export function rejectionOf(claims: Claims, now: number, rules: ClaimsRules): TokenRejection | undefined {
  const untimely = untimelinessOf(claims, now, rules.toleranceSeconds);
  if (untimely !== undefined) return untimely;
  const { iat, exp } = claims;
  if (!(exp > iat && exp - iat <= rules.maxLifetimeSeconds)) return 'lifetime';
  if (rules.issuer !== undefined && ownProperty(claims, 'iss') !== rules.issuer) return 'issuer';
  return isForUs(ownProperty(claims, 'aud'), rules.audience) ? undefined : 'audience';
}

/** The part of {@link rejectionOf} that time changes. */
export function untimelinessOf(
  claims: Claims,
  now: number,
  toleranceSeconds: number,
): 'expired' | 'not_yet_valid' | undefined {
  if (!(now < claims.exp + toleranceSeconds)) return 'expired';
  const latestStart = now + toleranceSeconds;
  const nbf = ownProperty(claims, 'nbf');
  if (!(claims.iat <= latestStart) || (typeof nbf === 'number' && !(nbf <= latestStart))) return 'not_yet_valid';
  return undefined;
}

/** A token for someone is refused by whoever is not named, also by a verifier without a name (RFC 7519 section 4.1.3). */
function isForUs(aud: unknown, expected: readonly string[] | undefined): boolean {
  if (expected === undefined) return aud === undefined;
  return expected.some((name) => aud === name || (Array.isArray(aud) && aud.includes(name)));
}

function isAbsentOr(matches: (value: unknown) => boolean, value: unknown): boolean {
  return value === undefined || matches(value);
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value.length > 0 && value.length <= MAX_TEXT;
}

function isString(value: unknown): boolean {
  return typeof value === 'string';
}

function isAudience(value: unknown): boolean {
  return isString(value) || (Array.isArray(value) && value.every(isString));
}
