import { ownProperty } from '../core/own-property.ts';
import type { Claims } from './result.ts';

/** The key that a token is bound to: by no binding, by one kind that is known here, or by what nobody can check. */
export type Confirmation =
  | { readonly kind: 'none' }
  | { readonly kind: 'x5t#S256' | 'jkt'; readonly thumbprint: string }
  | { readonly kind: 'unknown' };

/** Reads `cnf` (RFC 7800 section 3.1). Only a binding that stands alone is known: of two, one could go unchecked. */
export function readConfirmation(claims: Claims): Confirmation {
  if (!Object.hasOwn(claims, 'cnf')) return { kind: 'none' };
  const confirmation = ownProperty(claims, 'cnf');
  const [kind, ...others] = Object.keys(Object(confirmation));
  if ((kind !== 'x5t#S256' && kind !== 'jkt') || others.length > 0) return { kind: 'unknown' };
  const thumbprint = ownProperty(confirmation, kind);
  return typeof thumbprint === 'string' && thumbprint !== '' ? { kind, thumbprint } : { kind: 'unknown' };
}

/**
 * Tells whether a token may be used by the caller that presents it. A token that is bound to a key
 * (`cnf`, RFC 7800 section 3.1) is good only together with the client certificate of that thumbprint
 * (RFC 8705 section 3.1); a binding of any other kind is never good, since nobody checks it.
 *
 * @param certificateThumbprint SHA-256 of the verified client certificate in base64url, if there is one
 * @example
 * const isRefused = !isConfirmed(claims, caller.certificate?.thumbprint);
 */
export function isConfirmed(claims: Claims, certificateThumbprint: string | undefined): boolean {
  const bound = readConfirmation(claims);
  if (bound.kind === 'none') return true;
  return bound.kind === 'x5t#S256' && bound.thumbprint === certificateThumbprint;
}
