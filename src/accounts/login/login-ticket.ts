import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import { parseJsonObject } from '../../core/json-object.ts';
import { ownProperty } from '../../core/own-property.ts';
import type { Account } from '../ports.ts';

/** What the first step of a login has proved. */
export interface LoginTicket {
  readonly accountId: string;
  /** Of the hash that the password was right for. */
  readonly passwordDigest: string;
  /** Epoch milliseconds, taken before the password was looked at. */
  readonly startedAt: number;
}

/** Seals tickets, and opens its own ones only. */
export interface TicketSeal {
  seal(ticket: LoginTicket): string;
  /** @returns `undefined` for whatever was not sealed here, was changed or is too old. */
  open(ticket: unknown, now: number): LoginTicket | undefined;
}

/** Either way: a clock that was ahead and is set right does not make a ticket last longer. */
const LIFETIME_MS = 300_000;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const PURPOSE = 'doorward login ticket';
/** Longer than any ticket of ours: an account's id has at most 256 characters. */
const MAX_LENGTH = 4_096;

/** AES-256-GCM under a key of its own, derived from the secret (RFC 5869). */
export function createTicketSeal(secret: string | Uint8Array): TicketSeal {
  const key = Buffer.from(hkdfSync('sha256', secret, '', PURPOSE, 32));

  function opened(text: string): Buffer | undefined {
    const bytes = Buffer.from(text, 'base64url');
    if (bytes.length <= NONCE_BYTES + TAG_BYTES || bytes.toString('base64url') !== text) return undefined;
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
    decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
    try {
      return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]);
    } catch {
      return undefined;
    }
  }

  return {
    seal({ accountId, passwordDigest, startedAt }) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', key, nonce);
      const text = cipher.update(JSON.stringify({ accountId, passwordDigest, startedAt }), 'utf8');
      return Buffer.concat([nonce, text, cipher.final(), cipher.getAuthTag()]).toString('base64url');
    },
    open(ticket, now) {
      if (typeof ticket !== 'string' || ticket.length > MAX_LENGTH) return undefined;
      const text = opened(ticket);
      const read = text && readTicket(parseJsonObject(text));
      return read !== undefined && Math.abs(now - read.startedAt) < LIFETIME_MS ? read : undefined;
    },
  };
}

function readTicket(value: unknown): LoginTicket | undefined {
  const accountId = ownProperty(value, 'accountId');
  const passwordDigest = ownProperty(value, 'passwordDigest');
  const startedAt = ownProperty(value, 'startedAt');
  if (typeof accountId !== 'string' || typeof passwordDigest !== 'string') return undefined;
  return typeof startedAt === 'number' ? { accountId, passwordDigest, startedAt } : undefined;
}

/** Tells one password hash from the next without telling either. */
export function passwordDigestOf({ passwordHash }: Pick<Account, 'passwordHash'>): string {
  return digest(passwordHash).toString('base64url');
}

/** Tells whether the account still has the password that a ticket is of. */
export function isSamePassword(account: Pick<Account, 'passwordHash'>, { passwordDigest }: LoginTicket): boolean {
  return timingSafeEqual(digest(passwordDigestOf(account)), digest(passwordDigest));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
