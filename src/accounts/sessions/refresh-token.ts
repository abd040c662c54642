import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';

const TOKEN_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const FORM = /^[\w-]{43}$/;

/** A new refresh token: 256 random bits in base64url. */
export function createRefreshToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

/** Tells whether a text can be a refresh token, before anything is asked of a store. */
export function isRefreshToken(token: unknown): token is string {
  return typeof token === 'string' && FORM.test(token);
}

/** What a store keeps of a refresh token. A token of 256 random bits needs no slow hash. */
export function hashRefreshToken(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}

/**
 * Seals the successor of a refresh token with AES-256-GCM under a key that only the token itself yields:
 * whoever presents the token again gets the successor, whoever reads the store gets nothing.
 */
export function sealSuccessor(token: string, successor: string): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', sealingKey(token), nonce);
  const sealed = [nonce, cipher.update(successor, 'utf8'), cipher.final(), cipher.getAuthTag()];
  return Buffer.concat(sealed).toString('base64url');
}

/** @throws when it was not sealed for this token, or is damaged. */
export function openSuccessor(token: string, sealed: string): string {
  const bytes = Buffer.from(sealed, 'base64url');
  const decipher = createDecipheriv('aes-256-gcm', sealingKey(token), bytes.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  const opened = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES));
  return Buffer.concat([opened, decipher.final()]).toString('utf8');
}

function sealingKey(token: string): Buffer {
  return Buffer.from(hkdfSync('sha256', token, '', 'doorward refresh token successor', 32));
}
