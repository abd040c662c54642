import { configInvalid } from '../core/config-invalid.ts';
import { decodeBase64url } from './base64url.ts';
import { createHeaderReader } from './jws-header.ts';
import type { TokenRejection } from './result.ts';
import { requireSoundKey, type TokenKey } from './token-key.ts';

/** Longer tokens are neither issued nor looked into. */
export const MAX_TOKEN_LENGTH = 8_192;

/** What a token whose signature is right says; nothing in it has been judged yet. */
export interface Jws {
  readonly typ: unknown;
  readonly payload: Buffer;
}

export type JwsVerifier = (token: unknown) => Jws | TokenRejection;

/**
 * Makes the signature layer (RFC 7515 section 5.2), compact serialisation only. A token's `kid` selects
 * the key with that `kid`; without one it is for the only key there is, or for the one key without `kid`.
 * The key alone determines the algorithm. `jwk`, `jku`, `x5c` and `x5u` are never looked at.
 *
 * @throws `CONFIG_INVALID`
 */
export function createJwsVerifier(keys: readonly TokenKey[], types: readonly string[]): JwsVerifier {
  requireKeyRing(keys);
  const readHeader = createHeaderReader(keys, types);

  return (token) => {
    if (typeof token !== 'string') return 'malformed';
    if (token.length > MAX_TOKEN_LENGTH) return 'too_large';
    const first = token.indexOf('.');
    const second = token.indexOf('.', first + 1);
    if (first < 1 || second - first < 2 || second === token.length - 1) return 'malformed';
    if (token.includes('.', second + 1)) return 'malformed';
    const header = readHeader(token.slice(0, first));
    if (typeof header === 'string') return header;
    if (!header.check(token.slice(0, second), token.slice(second + 1))) return 'signature';
    const payload = decodeBase64url(token.slice(first + 1, second));
    return payload === undefined ? 'malformed' : { typ: header.typ, payload };
  };
}

function requireKeyRing(keys: readonly TokenKey[]): void {
  if (!Array.isArray(keys) || keys.length === 0) throw configInvalid('keys', 'must be a non-empty list');
  for (const key of keys) requireSoundKey(key);
  if (new Set(keys.map(({ kid }) => kid)).size < keys.length) {
    throw configInvalid('keys', 'must differ in kid, and at most one may have none');
  }
  const shared = keys.some((key) => keys.some((other) => other.alg !== key.alg && other.verify.equals(key.verify)));
  if (shared) throw configInvalid('keys', 'must not use one key for two algorithms');
}
