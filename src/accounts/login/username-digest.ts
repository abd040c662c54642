import { createHmac } from 'node:crypto';
import { usernameKey } from '../username.ts';

/** Longer than any username, so that only names that nobody has share a digest. */
const DIGESTED_LENGTH = 256;

/**
 * What events tell of a name that nobody has: equal for equal names, and not the name, since people type
 * passwords into the wrong field. The key keeps a reader of the log from trying common passwords.
 */
export function usernameDigest(username: string, auditSecret: string | Uint8Array): string {
  return createHmac('sha256', auditSecret)
    .update(usernameKey(username.slice(0, DIGESTED_LENGTH)))
    .digest('base64url');
}
