import { readBearer } from './bearer.ts';
import type { TokenScheme } from './challenge.ts';

/** What a request presents, by its headers `Authorization` and `DPoP`. */
export type Credentials =
  | { readonly kind: 'none' }
  | { readonly kind: 'invalid'; readonly scheme: TokenScheme; readonly error: 'invalid_token' | 'invalid_dpop_proof' }
  | { readonly kind: 'token'; readonly scheme: TokenScheme; readonly token: string; readonly proof?: string };

const DPOP_SCHEME = /^dpop(?= |$)/i;
const PROOF = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/**
 * Reads a token of the scheme `Bearer`, or of the scheme `DPoP` with exactly one proof beside it (RFC 9449 sections
 * 4.3 and 7.1). Beside another scheme a `DPoP` header counts for nothing.
 */
export function readCredentials(headers: Pick<Headers, 'get'>): Credentials {
  const value = headers.get('authorization');
  if (value === null) return { kind: 'none' };
  const scheme = DPOP_SCHEME.test(value) ? 'DPoP' : 'Bearer';
  const presented = readBearer(scheme === 'DPoP' ? value.replace(DPOP_SCHEME, 'Bearer') : value);
  if (presented.kind !== 'token') return { kind: 'invalid', scheme, error: 'invalid_token' };
  if (scheme === 'Bearer') return { kind: 'token', scheme, token: presented.token };
  const proof = headers.get('dpop');
  // A repeated header is joined with a comma, which no proof holds.
  if (proof === null || !PROOF.test(proof)) return { kind: 'invalid', scheme, error: 'invalid_dpop_proof' };
  return { kind: 'token', scheme, token: presented.token, proof };
}
