import { createHash } from 'node:crypto';

/** `plain`: bcrypt of the password. `prehashed`: bcrypt of its SHA-384, for what bcrypt would cut. */
export type PasswordScheme = 'plain' | 'prehashed';

/** What bcrypt is given for a password. */
export interface PreparedPassword {
  /** `undefined` for a password that no stored hash can be of. */
  readonly scheme: PasswordScheme | undefined;
  readonly secret: string;
}

/** A stored hash, taken apart. */
export interface StoredHash {
  readonly scheme: PasswordScheme;
  /** The bcrypt hash of 60 characters. */
  readonly bcrypt: string;
}

/** The longest password that is hashed at all, in Unicode code points. */
export const MAX_PASSWORD_CHARACTERS = 1_024;

const BCRYPT_MAX_BYTES = 72;
/** Stands before the `$2b$` of a bcrypt hash whose input was the SHA-384 of the password. */
const PREHASHED_PREFIX = '$dw1';
const BCRYPT = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/;
const MIN_COST = 4;
/** Each step doubles the work: above this, one stored text could keep a worker busy for minutes. */
export const MAX_COST = 14;

/**
 * Turns a password into at most 72 bytes that bcrypt reads whole. Nothing is normalised: two spellings
 * of one character are two passwords.
 */
export function preparePassword(password: string): PreparedPassword {
  if (!isHashable(password)) return { scheme: undefined, secret: '' };
  if (Buffer.byteLength(password) <= BCRYPT_MAX_BYTES) return { scheme: 'plain', secret: password };
  return { scheme: 'prehashed', secret: createHash('sha384').update(password).digest('base64') };
}

/** @returns `undefined` for a text that is no hash of ours, or one of a cost that is not evaluated. */
export function parseStoredHash(stored: string): StoredHash | undefined {
  const prehashed = stored.startsWith(PREHASHED_PREFIX);
  const bcrypt = prehashed ? stored.slice(PREHASHED_PREFIX.length) : stored;
  const cost = Number(BCRYPT.exec(bcrypt)?.[1]);
  if (!(cost >= MIN_COST && cost <= MAX_COST)) return undefined;
  return { scheme: prehashed ? 'prehashed' : 'plain', bcrypt };
}

/** Writes a bcrypt hash down so that {@link parseStoredHash} knows its scheme. */
export function formatStoredHash({ scheme, bcrypt }: StoredHash): string {
  return scheme === 'prehashed' ? PREHASHED_PREFIX + bcrypt : bcrypt;
}

/** Tells whether a text counts more Unicode code points than `max`, at a cost that `max` bounds. */
export function isLongerThan(text: string, max: number): boolean {
  return text.length > 2 * max || [...text].length > max;
}

/** Tells whether every part of a text is Unicode: UTF-8 would turn each lone surrogate into the same character. */
export function isWellFormed(text: string): boolean {
  return !/\p{Surrogate}/u.test(text);
}

function isHashable(password: string): boolean {
  return !isLongerThan(password, MAX_PASSWORD_CHARACTERS) && !password.includes('\0') && isWellFormed(password);
}
