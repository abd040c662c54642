import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** What is inside a seal. */
export interface Enrolment {
  /** The shared secret (RFC 4226 section 4, requirement 6). */
  readonly secret: Buffer;
  /** Epoch milliseconds. */
  readonly startedAt: number;
}

const VERSION = 'v1.';
const TIME_BYTES = 6;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Seals an enrolment with AES-256-GCM for one account: in the row of another one it does not open. */
export function seal(key: Buffer, accountId: string, { secret, startedAt }: Enrolment): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(boundTo(accountId));
  const time = Buffer.alloc(TIME_BYTES);
  time.writeUIntBE(startedAt, 0, TIME_BYTES);
  const sealed = [nonce, cipher.update(time), cipher.update(secret), cipher.final(), cipher.getAuthTag()];
  return VERSION + Buffer.concat(sealed).toString('base64url');
}

/** @returns `undefined` for what was sealed with another key or for another account, or was changed. */
export function unseal(key: Buffer, accountId: string, sealed: string): Enrolment | undefined {
  if (!sealed.startsWith(VERSION)) return undefined;
  const bytes = Buffer.from(sealed.slice(VERSION.length), 'base64url');
  if (bytes.length <= NONCE_BYTES + TIME_BYTES + TAG_BYTES) return undefined;
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
    .setAAD(boundTo(accountId))
    .setAuthTag(bytes.subarray(-TAG_BYTES));
  try {
    const opened = Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]);
    return { startedAt: opened.readUIntBE(0, TIME_BYTES), secret: opened.subarray(TIME_BYTES) };
  } catch {
    return undefined;
  }
}

function boundTo(accountId: string): Buffer {
  return Buffer.from(`doorward totp ${accountId}`);
}
