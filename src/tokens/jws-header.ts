import { parseJsonObject } from '../core/json-object.ts';
import { ownProperty } from '../core/own-property.ts';
import type { TokenRejection } from './result.ts';
import { type SignatureCheck, signatureCheck } from './signature-check.ts';
import type { TokenKey } from './token-key.ts';

/** A header that selects a key. */
export interface JwsHeader {
  readonly check: SignatureCheck;
  readonly typ: unknown;
}

/** Judges the first part of a token, still in base64url. */
export type JwsHeaderReader = (text: string) => JwsHeader | TokenRejection;

interface Candidate {
  readonly alg: string;
  readonly check: SignatureCheck;
}

const MAX_REMEMBERED = 64;
const MAX_REMEMBERED_LENGTH = 256;

/**
 * Makes the reader of headers for some keys. The judgement depends on nothing but the text, so those of the
 * last few dozen headers are remembered: the tokens of one issuer share one, and so do those of most attacks.
 *
 * @param types the types to expect: headers that spell them as our issuer does are recognised unparsed.
 */
export function createHeaderReader(keys: readonly TokenKey[], types: readonly string[]): JwsHeaderReader {
  const candidates = new Map<unknown, Candidate>();
  const expected = new Map<string, JwsHeader>();
  for (const key of keys) {
    const candidate = { alg: key.alg, check: signatureCheck(key) };
    candidates.set(key.kid, candidate);
    if (keys.length === 1) candidates.set(undefined, candidate);
    for (const typ of types) {
      expected.set(encodeHeader(headerOf(key, typ)), { check: candidate.check, typ });
    }
  }
  const remembered = new Map<string, JwsHeader | TokenRejection>();

  return (text) => {
    const known = expected.get(text) ?? remembered.get(text);
    if (known !== undefined) return known;
    const bytes = Buffer.from(text, 'base64url');
    const canonical = bytes.toString('base64url');
    if (canonical !== text) return 'malformed';
    const header = judge(bytes, candidates);
    if (text.length <= MAX_REMEMBERED_LENGTH) {
      if (remembered.size >= MAX_REMEMBERED) remembered.clear();
      // By the text that was just made: the piece of the token would keep all of the token in memory.
      remembered.set(canonical, header);
    }
    return header;
  };
}

/** The header that our issuer writes, its members in this order. */
export function headerOf({ alg, kid }: TokenKey, typ: string): { alg: string; typ: string; kid?: string } {
  return kid === undefined ? { alg, typ } : { alg, typ, kid };
}

function encodeHeader(header: object): string {
  return Buffer.from(JSON.stringify(header)).toString('base64url');
}

function judge(bytes: Buffer, candidates: ReadonlyMap<unknown, Candidate>): JwsHeader | TokenRejection {
  const header = parseJsonObject(bytes);
  if (header === undefined) return 'malformed';
  if (Object.hasOwn(header, 'crit') || Object.hasOwn(header, 'b64') || Object.hasOwn(header, 'zip')) {
    return 'critical_header';
  }
  const candidate = candidates.get(ownProperty(header, 'kid'));
  if (candidate === undefined) return 'unknown_key';
  if (ownProperty(header, 'alg') !== candidate.alg) return 'algorithm';
  return { check: candidate.check, typ: ownProperty(header, 'typ') };
}
