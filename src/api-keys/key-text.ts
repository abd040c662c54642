import { createHash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** The parts of a key, `<prefix>_<id>_<secret><checksum>`, all of them letters and digits but for the prefix. */
export interface KeyParts {
  /** 18 characters, 107 random bits. */
  readonly id: string;
  /** 43 characters, 256 random bits. */
  readonly secret: string;
}

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const BODY = /^(?<id>[0-9A-Za-z]{18})_(?<secret>[0-9A-Za-z]{43})(?<checksum>[0-9A-Za-z]{6})$/;

/** Makes a key. Its alphabet is inside the `b64token` of RFC 6750 section 2.1. */
export function makeKey(prefix: string): KeyParts & { readonly key: string } {
  const id = randomText(18);
  const secret = randomText(43);
  const text = `${prefix}_${id}_${secret}`;
  return { id, secret, key: text + checksumOf(text) };
}

/**
 * Reads a key. The checksum finds typing errors and cut keys without a store; it is no secret and keeps
 * nobody from guessing.
 *
 * @returns `undefined` for what is no key of this prefix.
 */
export function parseKey(prefix: string, key: string): KeyParts | undefined {
  const start = `${prefix}_`;
  if (typeof key !== 'string' || !key.startsWith(start)) return undefined;
  const { id, secret, checksum } = BODY.exec(key.slice(start.length))?.groups ?? {};
  if (id === undefined || secret === undefined) return undefined;
  return checksumOf(`${start}${id}_${secret}`) === checksum ? { id, secret } : undefined;
}

/** SHA-256, which is enough for a secret of 256 random bits: there is nothing to guess it from. */
export function digestOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

/** CRC-32 in six digits of base 62, so that it is as readable as the rest. */
function checksumOf(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (let count = 0; count < 6; count++) {
    digits = DIGITS.charAt(rest % 62) + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}

function randomText(length: number): string {
  return Array.from({ length }, () => DIGITS.charAt(randomInt(62))).join('');
}
