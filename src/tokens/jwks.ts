import { createHash, type JsonWebKey, KeyObject } from 'node:crypto';
import { configInvalid } from '../core/config-invalid.ts';
import type { KeySet } from './key-set.ts';
import { requireSoundKey, type TokenKey } from './token-key.ts';

/** A JWK Set (RFC 7517 section 5) of public keys. */
export interface PublicJwks {
  readonly keys: readonly JsonWebKey[];
}

/**
 * Lists the public parts of keys, for others to verify our tokens with: what a server answers at its
 * `jwks_uri`. Secrets (HS256) are left out, and of a private key nothing but its public members is named. A
 * key of a ring is listed as long as the ring verifies with it: before its first use and after its last.
 * RFC 7517 sections 4 and 5.
 *
 * @throws `CONFIG_INVALID` for what is no key or no list of keys.
 * @example
 * const answer = Response.json(publicJwks(keyring), { headers: { 'cache-control': 'public, max-age=300' } });
 */
export function publicJwks(keys: readonly TokenKey[] | KeySet): PublicJwks {
  const list: unknown = Array.isArray(keys) ? keys : (keys as KeySet | undefined)?.keys;
  if (!Array.isArray(list)) throw configInvalid('keys', 'must be a list of keys or a key set');
  return { keys: list.filter(isAsymmetric).map(publicJwk) };
}

/**
 * Works out the name that everybody gives a key who follows RFC 7638 section 3: the SHA-256 of its
 * required public members, in base64url.
 *
 * @throws `CONFIG_INVALID` for a secret: its digest would help whoever tries to guess it.
 * @example
 * const key = privateKey(pem, { kid: jwkThumbprint(publicKey(pem)) });
 */
export function jwkThumbprint(key: TokenKey): string {
  if (!isAsymmetric(key)) throw configInvalid('key', 'must be an asymmetric key: a secret has no public name');
  // The members are written in the order of their names, as section 3.3 asks.
  return createHash('sha256')
    .update(JSON.stringify(requiredMembers(key)))
    .digest('base64url');
}

function publicJwk(key: TokenKey): JsonWebKey {
  return { ...requiredMembers(key), kid: key.kid ?? jwkThumbprint(key), use: 'sig', alg: key.alg };
}

/** Names what goes out instead of leaving out what must not: a member that nobody thought of stays inside. */
function requiredMembers({ verify }: TokenKey): JsonWebKey {
  const { kty, crv, e, n, x, y } = verify.export({ format: 'jwk' });
  if (kty === 'EC') return { crv, kty, x, y } as JsonWebKey;
  return { e, kty, n } as JsonWebKey;
}

/** A secret is told by its kind alone: to judge it may take a millisecond, and anybody may ask for a JWK Set. */
function isAsymmetric(key: TokenKey): boolean {
  if (key?.verify instanceof KeyObject && key.verify.type === 'secret') return false;
  requireSoundKey(key);
  return true;
}
