import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { decodeBase64url } from '../tokens/base64url.ts';

/** What a challenge is good for: a new credential, a login without a password, or a proof beside one. */
export type Purpose = 'register' | 'login' | 'factor';

/** A challenge that was made here and has not expired. */
export interface KnownChallenge {
  /** What it may be used once under. */
  readonly onceKey: string;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
}

const NONCE_BYTES = 16;
const TIME_BYTES = 6;
const MAC_BYTES = 32;

/**
 * Makes a challenge that needs no memory, so that whoever asks for many fills no store: random bytes, the
 * time it expires, and a MAC over both, over its purpose and over the account it is for ('' for none).
 */
export function newChallenge(key: Buffer, purpose: Purpose, accountId: string, expiresAt: number): string {
  const body = Buffer.alloc(NONCE_BYTES + TIME_BYTES);
  randomBytes(NONCE_BYTES).copy(body);
  body.writeUIntBE(expiresAt, NONCE_BYTES, TIME_BYTES);
  return Buffer.concat([body, mac(key, body, purpose, accountId)]).toString('base64url');
}

/** @returns `undefined` for a challenge of another key, purpose or account, and for an expired one. */
export function readChallenge(
  key: Buffer,
  challenge: string,
  purpose: Purpose,
  accountId: string,
  now: number,
): KnownChallenge | undefined {
  const bytes = decodeBase64url(challenge);
  if (bytes?.length !== NONCE_BYTES + TIME_BYTES + MAC_BYTES) return undefined;
  const body = bytes.subarray(0, NONCE_BYTES + TIME_BYTES);
  if (!timingSafeEqual(bytes.subarray(body.length), mac(key, body, purpose, accountId))) return undefined;
  const expiresAt = body.readUIntBE(NONCE_BYTES, TIME_BYTES);
  const onceKey = `webauthn.${body.toString('base64url', 0, NONCE_BYTES)}`;
  return now < expiresAt ? { onceKey, expiresAt } : undefined;
}

function mac(key: Buffer, body: Buffer, purpose: Purpose, accountId: string): Buffer {
  return createHmac('sha256', key).update(body).update(`${purpose} ${accountId}`).digest();
}
