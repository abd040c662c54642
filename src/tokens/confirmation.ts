import { ownProperty } from '../core/own-property.ts';
import type { Claims } from './result.ts';

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
  if (!Object.hasOwn(claims, 'cnf')) return true;
  const confirmation = ownProperty(claims, 'cnf');
  const bound = ownProperty(confirmation, 'x5t#S256');
  const isOnlyBinding = Object.keys(Object(confirmation)).length === 1;
  return isOnlyBinding && typeof bound === 'string' && bound !== '' && bound === certificateThumbprint;
}
