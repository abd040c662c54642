import {
  createPrivateKey,
  createPublicKey,
  type JsonWebKey,
  KeyObject,
  sign as signOnce,
  verify as verifyOnce,
} from 'node:crypto';
import { configInvalid, refuseUnknownOptions } from '../core/config-invalid.ts';
import { readText } from './options.ts';
import { type AsymmetricKeyOptions, type TokenAlgorithm, type TokenKey, tokenKey } from './token-key.ts';

/** A key as PEM text, as a JWK object, or as a `KeyObject` of `node:crypto`. */
export type KeyMaterial = string | JsonWebKey | KeyObject;

/** RFC 7518 sections 6.2.2, 6.3.2 and 6.4.1. */
const PRIVATE_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];

/**
 * Makes a key that signs and verifies: RSA of at least 2,048 bits for RS256 or PS256, or EC on P-256
 * for ES256. RFC 7518 sections 3.3 to 3.5.
 *
 * @throws `CONFIG_INVALID` for a weak key, one on another curve, one whose halves do not belong
 * together, or a JWK that is not meant for signing (`use`, `key_ops`, `alg`).
 * @example
 * const key = privateKey(readFileSync('key.pem', 'utf8'), { kid: '2026-01' });
 */
export function privateKey(material: KeyMaterial, options: AsymmetricKeyOptions = {}): TokenKey {
  refuseUnknownOptions(options, ['alg', 'kid']);
  const jwk = jwkOf(material, 'sign');
  const sign = parse(material, jwk, createPrivateKey);
  if (sign.type !== 'private') throw configInvalid('key', 'must be a private key');
  const verify = createPublicKey(sign);
  const key = tokenKey(algorithmOf(verify, jwk, options), kidOf(jwk, options), verify, sign);
  const probe = Buffer.from('probe');
  if (!verifyOnce('sha256', probe, verify, signOnce('sha256', probe, sign))) {
    throw configInvalid('key', 'has a private and a public part that do not belong together');
  }
  return key;
}

/**
 * Makes a key that only verifies, from a public key of the same kinds as in {@link privateKey}, or from
 * an X.509 certificate in PEM.
 *
 * @throws `CONFIG_INVALID` for what `privateKey` refuses, and for a private key: it has no place where
 * tokens are only verified.
 * @example
 * const key = publicKey(readFileSync('key.pub.pem', 'utf8'), { alg: 'PS256' });
 */
export function publicKey(material: KeyMaterial, options: AsymmetricKeyOptions = {}): TokenKey {
  refuseUnknownOptions(options, ['alg', 'kid']);
  if (isPrivate(material)) throw configInvalid('key', 'is a private key: verifying needs the public key only');
  const jwk = jwkOf(material, 'verify');
  const verify = parse(material, jwk, createPublicKey);
  return tokenKey(algorithmOf(verify, jwk, options), kidOf(jwk, options), verify);
}

/**
 * Reads the text of a key file: PEM, or one JWK as JSON. A private key signs and verifies, a public key
 * verifies.
 *
 * @throws `CONFIG_INVALID` for what `privateKey` and `publicKey` refuse.
 * @example
 * const key = readKey(readFileSync(process.env.SIGNING_KEY_FILE ?? '', 'utf8'));
 */
export function readKey(text: string, options: AsymmetricKeyOptions = {}): TokenKey {
  if (typeof text !== 'string') throw configInvalid('key', 'must be the text of a key file');
  const material = text.trimStart().startsWith('{') ? parseJwk(text) : text;
  return isPrivate(material) ? privateKey(material, options) : publicKey(material, options);
}

function parseJwk(text: string): JsonWebKey {
  try {
    return JSON.parse(text);
  } catch {
    throw configInvalid('key', 'is not valid JSON');
  }
}

function isPrivate(material: KeyMaterial): boolean {
  if (typeof material === 'string') return material.includes('PRIVATE KEY-----');
  if (material instanceof KeyObject) return material.type === 'private';
  return typeof material === 'object' && material !== null && isPrivateJwk(material);
}

/** One private member is enough: whoever sent it gave a secret away. */
export function isPrivateJwk(jwk: object): boolean {
  return PRIVATE_MEMBERS.some((name) => Object.hasOwn(jwk, name));
}

/** The JWK among the kinds of material, checked to be meant for the operation (RFC 7517 sections 4.2 and 4.3). */
function jwkOf(material: KeyMaterial, operation: 'sign' | 'verify'): JsonWebKey | undefined {
  if (typeof material === 'string' || material instanceof KeyObject) return undefined;
  if (typeof material !== 'object' || material === null) {
    throw configInvalid('key', 'must be PEM text, a JWK object or a KeyObject');
  }
  const { use, key_ops: operations } = material;
  if (use !== undefined && use !== 'sig') throw configInvalid('key', 'is a JWK whose "use" is not "sig"');
  if (operations !== undefined && !(Array.isArray(operations) && operations.includes(operation))) {
    throw configInvalid('key', `is a JWK whose "key_ops" do not include "${operation}"`);
  }
  return material;
}

function parse(
  material: KeyMaterial,
  jwk: JsonWebKey | undefined,
  create: (key: string | { key: JsonWebKey; format: 'jwk' }) => KeyObject,
): KeyObject {
  if (material instanceof KeyObject) return material;
  try {
    return create(jwk === undefined ? String(material) : { key: jwk, format: 'jwk' });
  } catch {
    throw configInvalid('key', 'cannot be read as a key');
  }
}

function algorithmOf(verify: KeyObject, jwk: JsonWebKey | undefined, options: AsymmetricKeyOptions): TokenAlgorithm {
  const chosen = readText(options, 'alg');
  const usual = verify.asymmetricKeyType === 'ec' ? 'ES256' : 'RS256';
  const declared = jwk?.alg === undefined ? (chosen ?? usual) : jwk.alg;
  if (declared !== 'RS256' && declared !== 'PS256' && declared !== 'ES256') {
    throw configInvalid('alg', 'must be RS256, PS256 or ES256');
  }
  if (chosen !== undefined && chosen !== declared) throw configInvalid('alg', 'differs from the "alg" of the JWK');
  return declared;
}

function kidOf(jwk: JsonWebKey | undefined, options: AsymmetricKeyOptions): string | undefined {
  const kid = readText(options, 'kid') ?? jwk?.kid;
  if (kid !== undefined && typeof kid !== 'string') throw configInvalid('kid', 'must be a string');
  return kid;
}
