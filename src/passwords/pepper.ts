import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import { configInvalid } from '../core/config-invalid.ts';
import { isGuessable } from '../core/guessable.ts';

/** A secret that is kept outside the database, without which no hash made under it can be checked. */
export interface Pepper {
  /** Stands in every hash made under it, so that the pepper can be told and rotated: 1 to 16 letters, digits, `_` and `-`. */
  readonly id: string;
  /** At least 32 random bytes; a string counts as its UTF-8 bytes. */
  readonly secret: string | Uint8Array;
}

/** The configured peppers, ready to use. */
export interface Peppers {
  /** The id of the pepper that new hashes are made under. */
  readonly current: string | undefined;
  /** @returns Base64 of the HMAC-SHA-384 of a password, 64 characters; `undefined` for an id that is not configured. */
  apply(id: string, password: string): string | undefined;
  has(id: string): boolean;
}

const MIN_BYTES = 32;

/** @throws `CONFIG_INVALID` for a secret that is short or was made up, and for an id that is malformed or used twice. */
export function readPeppers(peppers: readonly Pepper[] | undefined): Peppers {
  // `undefined` too: a pepper that is missing from the configuration must not be missing without a word.
  if (!Array.isArray(peppers)) throw configInvalid('peppers', 'must be a list');
  const keys = new Map<string, KeyObject>();
  for (const pepper of peppers as readonly (Partial<Pepper> | null | undefined)[]) {
    const { id, secret } = pepper ?? {};
    if (typeof id !== 'string' || !/^[\w-]{1,16}$/.test(id)) {
      throw configInvalid('peppers', 'must have ids of 1 to 16 letters, digits, `_` and `-`');
    }
    if (keys.has(id)) throw configInvalid('peppers', `must not use the id ${id} twice`);
    keys.set(id, keyOf(secret));
  }
  const [current] = keys.keys();
  return {
    current,
    apply(id, password) {
      const key = keys.get(id);
      return key && createHmac('sha384', key).update(password).digest('base64');
    },
    has: (id) => keys.has(id),
  };
}

function keyOf(secret: unknown): KeyObject {
  if (typeof secret !== 'string' && !(secret instanceof Uint8Array)) {
    throw configInvalid('peppers', 'must have a secret each, a string or bytes');
  }
  const bytes = Buffer.from(secret as string);
  if (bytes.length < MIN_BYTES) throw configInvalid('peppers', `must have secrets of at least ${MIN_BYTES} bytes`);
  if (typeof secret === 'string' && secret !== secret.trim()) {
    throw configInvalid('peppers', 'must not begin or end in white space, most likely the line end of a file');
  }
  if (isGuessable(bytes.toString('latin1'))) {
    throw configInvalid('peppers', 'must not be guessable: use random bytes, for example `openssl rand -base64 48`');
  }
  return createSecretKey(bytes);
}
