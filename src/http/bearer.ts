/** What an `Authorization` header holds. */
export type Bearer =
  | { readonly kind: 'none' }
  | { readonly kind: 'invalid' }
  | { readonly kind: 'token'; readonly token: string };

const NONE: Bearer = { kind: 'none' };
const INVALID: Bearer = { kind: 'invalid' };
const CREDENTIALS = /^bearer +([A-Za-z0-9\-._~+/]+=*)$/i;

/**
 * Reads the value of an `Authorization` header: the scheme `Bearer` in any case, one or more spaces and
 * exactly one token (RFC 6750 section 2.1, RFC 9110 section 11.4). Everything else that is present,
 * another scheme and a repeated header among it, is `invalid` and never taken for anonymous.
 *
 * @example
 * readBearer(request.headers.get('authorization')); // { kind: 'token', token: 'eyJ...' }
 */
export function readBearer(value: string | null | undefined): Bearer {
  if (value === null || value === undefined) return NONE;
  const token = CREDENTIALS.exec(value)?.[1];
  return token === undefined ? INVALID : { kind: 'token', token };
}
