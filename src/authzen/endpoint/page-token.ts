import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { configInvalid } from '../../core/config-invalid.ts';

/** Where a search goes on. */
export interface PagePosition {
  /** The candidate that was looked at last; absent before the first. */
  readonly after?: string;
  readonly limit: number;
}

const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** @throws `CONFIG_INVALID` */
export function pageKey(key: unknown): Uint8Array {
  if (key === undefined) return randomBytes(32);
  if (key instanceof Uint8Array && key.byteLength === 32) return Uint8Array.from(key);
  throw configInvalid('pageKey', 'must be 32 bytes');
}

/**
 * Seals a position for one request. The token is encrypted, since the last candidate may be one that the caller
 * may not know of, and opens for exactly this request only.
 */
export function sealPosition(key: Uint8Array, request: unknown, { after, limit }: PagePosition): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(CIPHER, key, iv).setAAD(digestOf(request));
  const sealed = Buffer.concat([cipher.update(JSON.stringify([limit, after ?? null])), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64url');
}

/** Opens a token; `undefined` for one of another request, another key or nobody's. */
export function openPosition(key: Uint8Array, request: unknown, token: string): PagePosition | undefined {
  const bytes = Buffer.from(token, 'base64url');
  if (bytes.length <= IV_BYTES + TAG_BYTES) return undefined;
  const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES })
    .setAAD(digestOf(request))
    .setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
  try {
    const text = Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]);
    const [limit, after] = JSON.parse(text.toString('utf8')) as [number, string | null];
    return { limit, ...(after !== null && { after }) };
  } catch {
    return undefined;
  }
}

function digestOf(request: unknown): Buffer {
  return createHash('sha256').update(canonical(request)).digest();
}

/** JSON with sorted names: the order of members says nothing. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join()}}`;
}
