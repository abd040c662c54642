import { createHash } from 'node:crypto';
import { type JsonObject, parseJsonObject } from '../../core/json-object.ts';
import { ownProperty } from '../../core/own-property.ts';
import { decodeBase64url } from '../../tokens/base64url.ts';
import { MAX_TOKEN_LENGTH } from '../../tokens/jws.ts';
import type { Settings } from '../settings.ts';
import type { RegisteredClient } from './client-registry.ts';

/** RFC 7523 section 2.2. */
export const JWT_BEARER_ASSERTION = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/** Tells why an assertion is not that client's, or uses it up and answers `undefined`. */
export type CheckAssertion = (registered: RegisteredClient, assertion: string) => Promise<string | undefined>;

const MAX_LIFETIME_SECONDS = 300;
/** How far the clock of a client may be ahead. */
const TOLERANCE_SECONDS = 60;
const MAX_JTI_LENGTH = 256;
const TYPES: ReadonlySet<unknown> = new Set([undefined, 'JWT', 'client-authentication+jwt']);

/**
 * Makes the check of `private_key_jwt` (RFC 7523 section 3, OpenID Connect Core section 9). The audience is the
 * issuer or the token endpoint and nothing beside it: an assertion that names several servers could be used at one
 * by another.
 */
export function createAssertionCheck({
  once,
  clock,
  urls,
  issuer,
}: Pick<Settings, 'once' | 'clock' | 'urls' | 'issuer'>): CheckAssertion {
  const audiences: readonly unknown[] = [issuer, urls.token];

  return async ({ client, verifyAssertion }, assertion) => {
    const jws = verifyAssertion?.(assertion) ?? 'no_key';
    if (typeof jws === 'string') return jws;
    if (!TYPES.has(jws.typ)) return 'type';
    const claims = parseJsonObject(jws.payload);
    if (claims === undefined) return 'malformed';
    if (ownProperty(claims, 'iss') !== client.id || ownProperty(claims, 'sub') !== client.id) return 'subject';
    if (!audiences.includes(soleAudience(claims))) return 'audience';
    const now = clock();
    const problem = timeProblem(claims, now / 1_000);
    if (problem !== undefined) return problem;
    const jti = ownProperty(claims, 'jti');
    if (typeof jti !== 'string' || jti === '' || jti.length > MAX_JTI_LENGTH) return 'claims';
    const expiresAt = Math.ceil((Number(ownProperty(claims, 'exp')) + TOLERANCE_SECONDS) * 1_000);
    return (await once.once(onceKey(client.id, jti), expiresAt, now)) ? undefined : 'replayed';
  };
}

/** The client that an assertion claims to be of; nobody has checked its signature, so it only selects the keys. */
export function unverifiedSubject(assertion: string): string | undefined {
  if (assertion.length > MAX_TOKEN_LENGTH) return undefined;
  const bytes = decodeBase64url(assertion.split('.', 2)[1] ?? '');
  const subject = ownProperty(bytes && parseJsonObject(bytes), 'sub');
  return typeof subject === 'string' ? subject : undefined;
}

/** A list of one is that one. */
function soleAudience(claims: JsonObject): unknown {
  const aud = ownProperty(claims, 'aud');
  return Array.isArray(aud) && aud.length === 1 ? aud[0] : aud;
}

/** Written so that a clock that gives no time accepts nothing. */
function timeProblem(claims: JsonObject, now: number): string | undefined {
  const exp = ownProperty(claims, 'exp');
  if (typeof exp !== 'number' || !(exp > now)) return 'expired';
  if (!(exp <= now + MAX_LIFETIME_SECONDS + TOLERANCE_SECONDS)) return 'lifetime';
  const starts = [ownProperty(claims, 'iat'), ownProperty(claims, 'nbf')].filter((start) => start !== undefined);
  const hasBegun = starts.every((start) => typeof start === 'number' && start <= now + TOLERANCE_SECONDS);
  return hasBegun ? undefined : 'not_yet_valid';
}

function onceKey(clientId: string, jti: string): string {
  return `assertion.${createHash('sha256').update(`${clientId} ${jti}`).digest('base64url')}`;
}
