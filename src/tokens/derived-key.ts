import { configInvalid } from '../core/config-invalid.ts';
import { deriveSecret } from './derive-secret.ts';
import { configuredSecretProblem } from './secret-problem.ts';

/**
 * Derives a key for one purpose from a secret that is an option, as {@link deriveSecret} does. A string counts
 * as its UTF-8 bytes.
 *
 * @param field - the option that the secret came from
 * @throws `CONFIG_INVALID` for a secret that is short, can be guessed or holds an asymmetric key.
 */
export function derivedKey(field: string, secret: string | Uint8Array, purpose: string): Buffer {
  if (typeof secret !== 'string' && !(secret instanceof Uint8Array)) {
    throw configInvalid(field, 'must be a string or bytes');
  }
  const bytes = Buffer.from(secret);
  const problem = configuredSecretProblem(bytes);
  if (problem !== undefined) throw configInvalid(field, problem);
  return deriveSecret(bytes, purpose);
}
