import { configInvalid } from '../core/config-invalid.ts';
import { parseJsonObject } from '../core/json-object.ts';
import { ownProperty } from '../core/own-property.ts';
import { decodeBase64url } from './base64url.ts';
import type { TokenRejection } from './result.ts';
import { type SignatureCheck, signatureCheck } from './signature-check.ts';
import { requireSoundKey, type TokenKey } from './token-key.ts';

/** Longer tokens are neither issued nor looked into. */
export const MAX_TOKEN_LENGTH = 8_192;

/** What a token whose signature is right says; nothing in it has been judged yet. */
export interface Jws {
  readonly typ: unknown;
  readonly payload: Buffer;
}

export type JwsVerifier = (token: unknown) => Jws | TokenRejection;

interface Header {
  readonly check: SignatureCheck;
  readonly typ: unknown;
}

interface Candidate {
  readonly alg: string;
  readonly check: SignatureCheck;
}

/**
 * Makes the signature layer (RFC 7515 section 5.2), compact serialisation only. A token's `kid` selects
 * the key with that `kid`; without one it is for the only key there is, or for the one key without `kid`.
 * The key alone determines the algorithm. `jwk`, `jku`, `x5c` and `x5u` are never looked at.
 *
 * @param types the types to expect: headers that spell them as our issuer does are recognised unparsed.
 * @throws `CONFIG_INVALID`
 */
export function createJwsVerifier(keys: readonly TokenKey[], types: readonly string[]): JwsVerifier {
  requireKeyRing(keys);
  const candidates = new Map<unknown, Candidate>();
  const knownHeaders = new Map<string, Header>();
  for (const key of keys) {
    const candidate = { alg: key.alg, check: signatureCheck(key) };
    candidates.set(key.kid, candidate);
    if (keys.length === 1) candidates.set(undefined, candidate);
    for (const typ of types) {
      knownHeaders.set(encodeHeader(headerOf(key, typ)), { check: candidate.check, typ });
    }
  }

  return (token) => {
    if (typeof token !== 'string') return 'malformed';
    if (token.length > MAX_TOKEN_LENGTH) return 'too_large';
    const first = token.indexOf('.');
    const second = token.indexOf('.', first + 1);
    if (first < 1 || second - first < 2 || second === token.length - 1) return 'malformed';
    if (token.includes('.', second + 1)) return 'malformed';
    const headerText = token.slice(0, first);
    const header = knownHeaders.get(headerText) ?? readHeader(headerText, candidates);
    if (typeof header === 'string') return header;
    if (!header.check(token.slice(0, second), token.slice(second + 1))) return 'signature';
    const payload = decodeBase64url(token.slice(first + 1, second));
    return payload === undefined ? 'malformed' : { typ: header.typ, payload };
  };
}

/** The header that our issuer writes, its members in this order. */
export function headerOf({ alg, kid }: TokenKey, typ: string): { alg: string; typ: string; kid?: string } {
  return kid === undefined ? { alg, typ } : { alg, typ, kid };
}

function encodeHeader(header: object): string {
  return Buffer.from(JSON.stringify(header)).toString('base64url');
}

function readHeader(text: string, candidates: ReadonlyMap<unknown, Candidate>): Header | TokenRejection {
  const bytes = decodeBase64url(text);
  const header = bytes && parseJsonObject(bytes);
  if (header === undefined) return 'malformed';
  if (Object.hasOwn(header, 'crit') || Object.hasOwn(header, 'b64') || Object.hasOwn(header, 'zip')) {
    return 'critical_header';
  }
  const candidate = candidates.get(ownProperty(header, 'kid'));
  if (candidate === undefined) return 'unknown_key';
  if (ownProperty(header, 'alg') !== candidate.alg) return 'algorithm';
  return { check: candidate.check, typ: ownProperty(header, 'typ') };
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
