import { ownProperty } from '../core/own-property.ts';
import type { Claims } from '../tokens/index.ts';

/** Claims that only ID tokens (OpenID Connect Core section 3.1.3.6 and 3.3.2.11) and security event tokens (RFC 8417) have. */
const MARKS_OF_OTHERS = ['at_hash', 'c_hash', 's_hash', 'events'];

/**
 * Tells whether the claims may be those of an access token. Where all tokens of an issuer have the type `JWT`, the
 * type tells nothing, so what marks the other kinds is looked for: their claims, the `typ` claim of Keycloak
 * (`ID`, `Refresh`, `Logout`) and `token_use` as of Cognito. RFC 8725 section 3.12.
 */
export function mayBeAccessToken(claims: Claims): boolean {
  if (MARKS_OF_OTHERS.some((name) => Object.hasOwn(claims, name))) return false;
  if (Object.hasOwn(claims, 'token_use') && ownProperty(claims, 'token_use') !== 'access') return false;
  const typ = ownProperty(claims, 'typ');
  // Older Keycloaks write the nonce of the login into access tokens too, which say what they are.
  return typ === 'Bearer' || typ === 'DPoP' || (typ === undefined && !Object.hasOwn(claims, 'nonce'));
}
