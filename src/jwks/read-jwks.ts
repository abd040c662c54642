import type { JsonWebKey } from 'node:crypto';
import type { AsymmetricAlgorithm } from '../core/asymmetric-algorithms.ts';
import { isDoorwardError } from '../core/index.ts';
import type { JsonObject } from '../core/json-object.ts';
import { ownProperty } from '../core/own-property.ts';
import { isPrivateJwk } from '../tokens/asymmetric-key.ts';
import { createTokenVerifier, publicKey, type TokenKey } from '../tokens/index.ts';
import { KeySourceError } from './key-source-error.ts';

/** The algorithms of keys that others publish. */
export type RemoteAlgorithm = AsymmetricAlgorithm;

const MAX_KEYS = 100;

/**
 * Reads a JWK Set of another party (RFC 7517 section 5). Keys that are not for us are passed over: those for
 * encryption, of other kinds or algorithms, and weak ones. A set that shows a private key or a secret is refused
 * as a whole, since everybody can sign with it, and so is one in which a `kid` means two keys.
 */
export function readJwks(json: JsonObject, algorithms: readonly RemoteAlgorithm[]): readonly TokenKey[] {
  const list = ownProperty(json, 'keys');
  if (!Array.isArray(list) || list.length > MAX_KEYS || !list.every(isObject)) throw new KeySourceError('malformed');
  if (list.some(isPrivate)) throw new KeySourceError('private_key');
  const keys = list.flatMap((jwk) => usableKey(jwk, algorithms));
  if (keys.length === 0) throw new KeySourceError('no_usable_key');
  try {
    createTokenVerifier({ keys });
  } catch {
    throw new KeySourceError('ambiguous_keys');
  }
  return Object.freeze(keys);
}

function isPrivate(jwk: JsonObject): boolean {
  return ownProperty(jwk, 'kty') === 'oct' || isPrivateJwk(jwk);
}

function usableKey(jwk: JsonObject, algorithms: readonly RemoteAlgorithm[]): readonly TokenKey[] {
  const alg = algorithmOf(jwk, algorithms);
  if (alg === undefined) return [];
  try {
    return [publicKey({ ...jwk, alg } as JsonWebKey)];
  } catch (error) {
    if (isDoorwardError(error)) return [];
    throw error;
  }
}

/** A key has one algorithm: its own `alg`, or where it names none, the first of the accepted ones that fits its kind. */
function algorithmOf(jwk: JsonObject, algorithms: readonly RemoteAlgorithm[]): RemoteAlgorithm | undefined {
  const kind = ownProperty(jwk, 'kty') === 'EC' ? 'ES' : 'RS PS';
  const declared = ownProperty(jwk, 'alg');
  return algorithms.find((alg) => kind.includes(alg.slice(0, 2)) && (!Object.hasOwn(jwk, 'alg') || declared === alg));
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
