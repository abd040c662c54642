import { createHash, randomBytes } from 'node:crypto';

/** What a client keeps to itself, and what it sends ahead (RFC 7636 section 4). */
export interface PkcePair {
  readonly codeVerifier: string;
  readonly codeChallenge: string;
}

/**
 * Makes a code verifier of 256 random bits and its S256 challenge (RFC 7636 sections 4.1 and 4.2).
 *
 * @example
 * const { codeVerifier, codeChallenge } = createPkcePair();
 */
export function createPkcePair(): PkcePair {
  const codeVerifier = random();
  return { codeVerifier, codeChallenge: createHash('sha256').update(codeVerifier).digest('base64url') };
}

/**
 * Makes a `state` of 256 random bits (RFC 6749 section 10.12).
 *
 * @example
 * const state = createState();
 */
export function createState(): string {
  return random();
}

/**
 * Makes a `nonce` of 256 random bits (OpenID Connect Core section 15.5.2).
 *
 * @example
 * const nonce = createNonce();
 */
export function createNonce(): string {
  return random();
}

function random(): string {
  return randomBytes(32).toString('base64url');
}
