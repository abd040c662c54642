import { hkdfSync } from 'node:crypto';
import { configInvalid } from '../core/config-invalid.ts';
import { configuredSecretProblem } from './secret-problem.ts';
import { requireSoundKey, type TokenKey } from './token-key.ts';

const BYTES = 32;
/** Keeps these secrets apart from what another program may derive from the same key under the same label. */
const CONTEXT = 'doorward derived secret: ';

/**
 * Derives a secret of 32 bytes for one purpose, so that no key ever serves two (RFC 8725 section 2.8):
 * HKDF with SHA-256 (RFC 5869), the label as `info`. The same key and label always give the same secret; from it
 * neither the key nor the secret of another label can be worked out. A key that is rotated takes its derived
 * secrets with it.
 *
 * @param key a secret of at least 32 bytes, an HS256 key, or a private key (its PKCS #8 DER counts)
 * @param label what the secret is for: 1 to 128 printable ASCII characters
 * @throws `CONFIG_INVALID` for a key that is short, can be guessed or only verifies, and for another kind of label.
 * @example
 * const cookieKey = deriveSecret(key, 'session cookie');
 */
export function deriveSecret(key: TokenKey | Uint8Array, label: string): Buffer {
  if (typeof label !== 'string' || !/^[\x20-\x7e]{1,128}$/.test(label)) {
    throw configInvalid('label', 'must be 1 to 128 printable ASCII characters');
  }
  return Buffer.from(hkdfSync('sha256', secretBytes(key), Buffer.alloc(0), CONTEXT + label, BYTES));
}

function secretBytes(key: TokenKey | Uint8Array): Buffer {
  if (key instanceof Uint8Array) {
    const bytes = Buffer.from(key);
    const problem = configuredSecretProblem(bytes);
    if (problem !== undefined) throw configInvalid('key', problem);
    return bytes;
  }
  requireSoundKey(key);
  if (key.sign === undefined) throw configInvalid('key', 'is public: a secret needs a secret to come from');
  return key.sign.type === 'secret' ? key.sign.export() : key.sign.export({ type: 'pkcs8', format: 'der' });
}
