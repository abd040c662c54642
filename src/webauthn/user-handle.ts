import { createHash } from 'node:crypto';

/**
 * What authenticators know an account by: 32 bytes that tell nothing about it (Web Authentication Level 3
 * section 14.6.1), in base64url.
 */
export function userHandle(accountId: string): string {
  return createHash('sha256').update(`doorward webauthn user ${accountId}`).digest('base64url');
}
