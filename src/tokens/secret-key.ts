import { isUtf8 } from 'node:buffer';
import { createSecretKey } from 'node:crypto';
import { configInvalid, refuseUnknownOptions } from '../core/config-invalid.ts';
import { readText } from './options.ts';
import { configuredSecretProblem } from './secret-problem.ts';
import { type TokenKey, type TokenKeyOptions, tokenKey } from './token-key.ts';

/**
 * Makes an HS256 key from a secret of at least 32 bytes. A string counts as its UTF-8 bytes, exactly as
 * given: nothing is trimmed and no Base64 is decoded. RFC 7518 section 3.2.
 *
 * @throws `CONFIG_INVALID` for a secret that is short, repeats itself, reads like words or a sequence,
 * begins or ends in white space, or holds an asymmetric key (RFC 8725 section 2.1).
 * @example
 * const key = secretKey(process.env.SIGNING_SECRET ?? '');
 */
export function secretKey(secret: string | Uint8Array, options: TokenKeyOptions = {}): TokenKey {
  refuseUnknownOptions(options, ['kid']);
  if (typeof secret !== 'string' && !(secret instanceof Uint8Array)) {
    throw configInvalid('secret', 'must be a string or bytes');
  }
  const bytes = Buffer.from(secret);
  const problem = configuredSecretProblem(bytes) ?? edgeProblem(bytes);
  if (problem !== undefined) throw configInvalid('secret', problem);
  const key = createSecretKey(bytes);
  return tokenKey('HS256', readText(options, 'kid'), key, key);
}

function edgeProblem(bytes: Buffer): string | undefined {
  const text = bytes.toString('utf8');
  return isUtf8(bytes) && text !== text.trim()
    ? 'begins or ends in white space, most likely the line end of a file: remove it'
    : undefined;
}
