import { createHash } from 'node:crypto';
import { ownProperty } from '../../core/own-property.ts';
import { createRemoteKeySet, type RemoteKeySet } from '../../jwks/index.ts';
import { unverifiedKid } from '../../jwks/unverified-kid.ts';
import { type Claims, createTokenVerifier } from '../../tokens/index.ts';
import type { Metadata } from './metadata.ts';
import type { Settings } from './options.ts';
import { responseInvalid } from './response-invalid.ts';

/** What an ID token has to be about, beside its signature, issuer and audience. */
export interface IdTokenExpectation {
  readonly accessToken: string;
  /** Absent for an ID token that comes with a refreshed access token. */
  readonly nonce?: string;
  readonly maxAgeSeconds?: number;
  readonly acrValues?: readonly string[];
}

export type VerifyIdToken = (token: string, metadata: Metadata, expected: IdTokenExpectation) => Promise<Claims>;

/** Makes the verifier of ID tokens (OpenID Connect Core section 3.1.3.7): also of those that came straight from the server. */
export function createVerifyIdToken(settings: Settings): VerifyIdToken & { readonly close: () => void } {
  const { issuer, clientId, algorithms, toleranceSeconds, timeoutMs, clock } = settings;
  let keys: RemoteKeySet | undefined;

  async function claimsOf(token: string, { jwksUri }: Metadata): Promise<Claims> {
    if (jwksUri === undefined) throw responseInvalid('jwks_uri', 'is missing in the metadata');
    keys ??= createRemoteKeySet({ url: jwksUri, algorithms, timeoutMs });
    await keys.ready();
    await keys.ready(unverifiedKid(token, algorithms));
    const verifier = createTokenVerifier({
      keys: keys.keys,
      issuer,
      audience: clientId,
      allowUntyped: true,
      toleranceSeconds,
      clock,
    });
    const result = verifier.verify(token);
    if (!result.ok) throw responseInvalid('id_token', 'is not good');
    return result.claims;
  }

  const verify = async (token: string, metadata: Metadata, expected: IdTokenExpectation): Promise<Claims> => {
    const claims = await claimsOf(token, metadata);
    const audience = Array.isArray(claims.aud) ? claims.aud : [claims.aud];
    if (audience.length !== 1) throw responseInvalid('id_token', 'is for others too');
    const azp = ownProperty(claims, 'azp');
    if (azp !== undefined && azp !== clientId) throw responseInvalid('azp', 'is another client');
    if (expected.nonce !== undefined && ownProperty(claims, 'nonce') !== expected.nonce) {
      throw responseInvalid('nonce', 'is not that of this browser');
    }
    const hash = ownProperty(claims, 'at_hash');
    if (hash !== undefined && hash !== leftHalfOf(expected.accessToken)) {
      throw responseInvalid('at_hash', 'is that of another access token');
    }
    checkLogin(claims, expected, clock() / 1_000 - toleranceSeconds);
    return claims;
  };
  return Object.assign(verify, { close: () => keys?.close() });
}

/** @param now seconds since the epoch, less the tolerance */
function checkLogin(claims: Claims, { maxAgeSeconds, acrValues }: IdTokenExpectation, now: number): void {
  const authTime = ownProperty(claims, 'auth_time');
  if (maxAgeSeconds !== undefined && !(typeof authTime === 'number' && now - authTime <= maxAgeSeconds)) {
    throw responseInvalid('auth_time', 'is too long ago');
  }
  const acr = ownProperty(claims, 'acr');
  if (acrValues !== undefined && !(typeof acr === 'string' && acrValues.includes(acr))) {
    throw responseInvalid('acr', 'is of no class that was asked for');
  }
}

/** `at_hash` (OpenID Connect Core section 3.1.3.6); all our algorithms are of SHA-256. */
function leftHalfOf(accessToken: string): string {
  return createHash('sha256').update(accessToken).digest().subarray(0, 16).toString('base64url');
}
