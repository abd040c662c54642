import type { JsonWebKey } from 'node:crypto';
import type { AsymmetricAlgorithm } from '../../core/asymmetric-algorithms.ts';
import { type JsonObject, parseJsonObject } from '../../core/json-object.ts';
import { ownProperty } from '../../core/own-property.ts';
import { decodeBase64url } from '../../tokens/base64url.ts';
import { jwkThumbprint, publicKey, type TokenKey } from '../../tokens/index.ts';
import { signatureCheck } from '../../tokens/signature-check.ts';

/** A proof that the key inside it has signed; nothing else in it has been judged yet. */
export interface SignedProof {
  /** RFC 7638, SHA-256. */
  readonly thumbprint: string;
  readonly claims: JsonObject;
}

export type ProofProblem = 'malformed' | 'too_large' | 'critical_header' | 'type' | 'algorithm' | 'key' | 'signature';

const MAX_PROOF_LENGTH = 8_192;
/** Anybody may present a key, so its size is the work that a stranger can ask for. */
const MAX_RSA_BITS = 4_096;
const MAX_RSA_EXPONENT = 0xffff_ffffn;

/** Reads a compact JWS whose header carries its public key, and checks that this key signed it (RFC 9449 section 4.2). */
export function readSignedProof(
  proof: unknown,
  algorithms: readonly AsymmetricAlgorithm[],
): SignedProof | ProofProblem {
  if (typeof proof !== 'string') return 'malformed';
  if (proof.length > MAX_PROOF_LENGTH) return 'too_large';
  const [head = '', body = '', signature = '', ...rest] = proof.split('.', 4);
  if (rest.length > 0 || signature === '') return 'malformed';
  const header = readJson(head);
  if (header === undefined) return 'malformed';
  if (['crit', 'b64', 'zip'].some((name) => Object.hasOwn(header, name))) return 'critical_header';
  if (ownProperty(header, 'typ') !== 'dpop+jwt') return 'type';
  const alg = algorithms.find((name) => name === ownProperty(header, 'alg'));
  if (alg === undefined) return 'algorithm';
  const key = readKey(ownProperty(header, 'jwk'), alg);
  if (key === undefined) return 'key';
  if (!signatureCheck(key)(`${head}.${body}`, signature)) return 'signature';
  const claims = readJson(body);
  return claims === undefined ? 'malformed' : { thumbprint: jwkThumbprint(key), claims };
}

function readJson(part: string): JsonObject | undefined {
  const bytes = decodeBase64url(part);
  return bytes && parseJsonObject(bytes);
}

/** @returns `undefined` for a key that is private, weak, of another kind, or not meant for signatures. */
function readKey(jwk: unknown, alg: AsymmetricAlgorithm): TokenKey | undefined {
  if (typeof jwk !== 'object' || jwk === null || Array.isArray(jwk)) return undefined;
  try {
    // Whatever the key calls itself, it is known by its thumbprint.
    const key = publicKey({ ...(jwk as JsonWebKey), kid: undefined }, { alg });
    const { modulusLength = 0, publicExponent = 0n } = key.verify.asymmetricKeyDetails ?? {};
    return modulusLength <= MAX_RSA_BITS && publicExponent <= MAX_RSA_EXPONENT ? key : undefined;
  } catch {
    return undefined;
  }
}
