import { createHash, timingSafeEqual } from 'node:crypto';

/** The SHA-256 of a verifier in base64url, without padding (RFC 7636 section 4.2). */
const CHALLENGE = /^[A-Za-z0-9_-]{43}$/;
/** RFC 7636 section 4.1. */
const VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/;

/** Tells whether a text has the form of a code challenge of method S256. */
export function isCodeChallenge(text: unknown): text is string {
  return typeof text === 'string' && CHALLENGE.test(text);
}

/** Tells whether a verifier is the one that a challenge of method S256 was made of (RFC 7636 section 4.6). */
export function verifierMatches(verifier: string, challenge: string): boolean {
  if (!VERIFIER.test(verifier) || !isCodeChallenge(challenge)) return false;
  const computed = createHash('sha256').update(verifier).digest('base64url');
  return timingSafeEqual(Buffer.from(computed), Buffer.from(challenge));
}
