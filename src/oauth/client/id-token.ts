import { createHash } from 'node:crypto';
import { fetch, type RequestInit as UndiciRequestInit } from 'undici';
import { ownProperty } from '../../core/own-property.ts';
import { createRemoteKeySet } from '../../jwks/index.ts';
import { unverifiedKid } from '../../jwks/unverified-kid.ts';
import { type Claims, createTokenVerifier } from '../../tokens/index.ts';
import type { Settings } from './options.ts';
import { responseInvalid } from './response-invalid.ts';

/** What an ID token has to be about, beside its signature, issuer and audience. */
export interface IdTokenExpectation {
  readonly accessToken: string;
  /** What was asked for. Absent for an ID token that comes with a refreshed access token. */
  readonly login?: {
    readonly nonce: string;
    /** Epoch milliseconds. */
    readonly createdAt: number;
    readonly maxAgeSeconds?: number;
    readonly acrValues?: readonly string[];
  };
}

export type VerifyIdToken = (token: string, expected: IdTokenExpectation) => Promise<Claims>;

/** Makes the verifier of ID tokens (OpenID Connect Core section 3.1.3.7): also of those that came straight from the server. */
export function createVerifyIdToken(settings: Settings): VerifyIdToken & { readonly close: () => void } {
  const { issuer, clientId, discovery, algorithms, toleranceSeconds, timeoutMs, dispatcher, clock } = settings;
  const keySet = createRemoteKeySet({
    issuer,
    discovery,
    algorithms,
    timeoutMs,
    // A dispatcher is of the package `undici`, and the global `fetch` of another version of it may not know it.
    ...(dispatcher !== undefined && {
      fetch: async (url, init) =>
        (await fetch(url, { ...init, dispatcher } as UndiciRequestInit)) as unknown as Response,
    }),
  });

  async function signedClaims(token: string): Promise<Claims> {
    await keySet.ready(unverifiedKid(token, algorithms));
    const rules = { issuer, audience: clientId, allowUntyped: true, toleranceSeconds, clock };
    const result = createTokenVerifier({ ...rules, keys: keySet.keys }).verify(token);
    if (!result.ok) throw responseInvalid('id_token', 'is not good');
    return result.claims;
  }

  const verify: VerifyIdToken = async (token, { accessToken, login }) => {
    const claims = await signedClaims(token);
    const audience = Array.isArray(claims.aud) ? claims.aud : [claims.aud];
    if (audience.length !== 1) throw responseInvalid('id_token', 'is for others too');
    const azp = ownProperty(claims, 'azp');
    if (azp !== undefined && azp !== clientId) throw responseInvalid('azp', 'is another client');
    const hash = ownProperty(claims, 'at_hash');
    if (hash !== undefined && hash !== leftHalfOf(accessToken)) {
      throw responseInvalid('at_hash', 'is that of another access token');
    }
    if (login !== undefined) checkLogin(claims, login, settings);
    return claims;
  };
  return Object.assign(verify, { close: keySet.close });
}

function checkLogin(
  claims: Claims,
  { nonce, createdAt, maxAgeSeconds, acrValues }: NonNullable<IdTokenExpectation['login']>,
  { toleranceSeconds, clock }: Settings,
): void {
  if (ownProperty(claims, 'nonce') !== nonce) throw responseInvalid('nonce', 'is not that of this browser');
  if (maxAgeSeconds !== undefined) {
    const now = Math.floor(clock() / 1_000);
    // A login that this request caused is recent enough, however long its pages took.
    const earliest = Math.min(now - maxAgeSeconds, Math.floor(createdAt / 1_000)) - toleranceSeconds;
    const authTime = ownProperty(claims, 'auth_time');
    if (!(typeof authTime === 'number' && authTime >= earliest && authTime <= now + toleranceSeconds)) {
      throw responseInvalid('auth_time', 'is missing, too long ago or to come');
    }
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
