import { parseJsonObject } from '../core/json-object.ts';
import { ownProperty } from '../core/own-property.ts';
import { decodeBase64url } from '../tokens/base64url.ts';

/**
 * Reads the `kid` of a token whose signature nobody has checked; it decides nothing but whether keys are worth
 * fetching. `undefined` for a name that no key has, and for an algorithm under which none would be accepted.
 */
export function unverifiedKid(token: unknown, algorithms: readonly unknown[]): string | undefined {
  if (typeof token !== 'string') return undefined;
  const bytes = decodeBase64url(token.slice(0, token.indexOf('.')));
  const header = bytes && parseJsonObject(bytes);
  const kid = ownProperty(header, 'kid');
  const isName = typeof kid === 'string' && /^[\x21-\x7e]{1,128}$/.test(kid);
  return isName && algorithms.includes(ownProperty(header, 'alg')) ? kid : undefined;
}
