import { KeyObject } from 'node:crypto';
import type { AsymmetricAlgorithm } from '../core/asymmetric-algorithms.ts';
import { configInvalid } from '../core/config-invalid.ts';
import { isRocaModulus } from './roca.ts';
import { secretProblem } from './secret-problem.ts';

/** The algorithms of RFC 7518 section 3.1 that tokens are signed with. */
export type TokenAlgorithm = 'HS256' | AsymmetricAlgorithm;

/**
 * A key with its one algorithm. Made by `secretKey`, `privateKey`, `publicKey` or `readKey`, once, when
 * the server starts; printing it or turning it into JSON shows nothing of the key itself.
 */
export interface TokenKey {
  readonly alg: TokenAlgorithm;
  /** Written into the header of issued tokens. A token that names a `kid` is checked with the key of that `kid` only. */
  readonly kid?: string;
  /** Absent in a key that can only verify. */
  readonly sign?: KeyObject;
  readonly verify: KeyObject;
}

/** Options of every function that makes a key. */
export interface TokenKeyOptions {
  /** The key's name: 1 to 128 printable ASCII characters without spaces (RFC 7515 section 4.1.4). */
  readonly kid?: string;
}

/** Options of the functions that read asymmetric keys. */
export interface AsymmetricKeyOptions extends TokenKeyOptions {
  /** @default the `alg` of a JWK, else `RS256` for an RSA key and `ES256` for an EC key */
  readonly alg?: AsymmetricAlgorithm;
}

const MIN_RSA_BITS = 2_048;

/**
 * Freezes a key after checking that each half fits its algorithm: size, curve, exponent, and kind.
 *
 * @throws `CONFIG_INVALID`
 */
export function tokenKey(alg: TokenAlgorithm, kid: string | undefined, verify: KeyObject, sign?: KeyObject): TokenKey {
  const key: TokenKey = { alg, verify, ...(kid !== undefined && { kid }), ...(sign !== undefined && { sign }) };
  requireSoundKey(key);
  return Object.freeze(key);
}

/** Checks a key that may have been put together by hand. */
export function requireSoundKey(key: TokenKey): void {
  if (typeof key !== 'object' || key === null || !(key.verify instanceof KeyObject)) {
    throw configInvalid('key', 'must come from secretKey, privateKey, publicKey or readKey');
  }
  if (key.kid !== undefined) requireKid(key.kid);
  const problem = problemOf(key.alg, key.verify) ?? signProblemOf(key);
  if (problem !== undefined) throw configInvalid('key', problem);
}

function problemOf(alg: TokenAlgorithm, verify: KeyObject): string | undefined {
  switch (alg) {
    case 'HS256':
      return verify.type === 'secret' ? secretProblem(verify.export()) : 'must be a secret for HS256';
    case 'RS256':
    case 'PS256':
      return rsaProblem(alg, verify);
    case 'ES256':
      return ecProblem(verify);
    default:
      return 'must have the algorithm HS256, RS256, PS256 or ES256';
  }
}

function rsaProblem(alg: TokenAlgorithm, verify: KeyObject): string | undefined {
  if (verify.type !== 'public' || verify.asymmetricKeyType !== 'rsa') return `must be an RSA key for ${alg}`;
  const { modulusLength = 0, publicExponent = 0n } = verify.asymmetricKeyDetails ?? {};
  if (modulusLength < MIN_RSA_BITS) return `must have at least ${MIN_RSA_BITS} bits`;
  if (publicExponent < 3n || publicExponent % 2n === 0n) return 'has a public exponent that protects nothing';
  return isRocaModulus(verify) ? 'comes from a generator with the ROCA weakness (CVE-2017-15361)' : undefined;
}

function ecProblem(verify: KeyObject): string | undefined {
  if (verify.type !== 'public' || verify.asymmetricKeyType !== 'ec') return 'must be an EC key for ES256';
  return verify.asymmetricKeyDetails?.namedCurve === 'prime256v1' ? undefined : 'must be on the curve P-256';
}

function signProblemOf({ alg, sign }: TokenKey): string | undefined {
  if (sign === undefined) return undefined;
  const kind = alg === 'HS256' ? 'secret' : 'private';
  return sign instanceof KeyObject && sign.type === kind ? undefined : `must sign with a ${kind} key`;
}

function requireKid(kid: string): void {
  if (typeof kid !== 'string' || !/^[\x21-\x7e]{1,128}$/.test(kid)) {
    throw configInvalid('kid', 'must be 1 to 128 printable ASCII characters without spaces');
  }
}
