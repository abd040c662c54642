import type { KeyObject } from 'node:crypto';
import type { SignOptions } from 'jsonwebtoken';
import { configInvalid } from '../core/config-invalid.ts';
import { headerOf } from './jws-header.ts';
import type { SigningKeySet } from './key-set.ts';
import { requireSoundKey, type TokenKey } from './token-key.ts';

/** A key with all that signing with it needs. */
export interface Signer {
  readonly key: KeyObject;
  readonly signing: SignOptions;
}

/**
 * Makes the function that gives what to sign with at this moment: the one key, or the active key of a set.
 *
 * @throws `CONFIG_INVALID` for a key that cannot sign. So does each call while the active key of the set is one.
 */
export function currentSigner(source: TokenKey | SigningKeySet, typ: string): () => Signer {
  if (!isSigningKeySet(source)) {
    const only = signerOf(source, typ);
    return () => only;
  }
  let key = requireMember(source);
  let signer = signerOf(key, typ);
  return () => {
    const active = requireMember(source);
    if (active !== key) {
      signer = signerOf(active, typ);
      key = active;
    }
    return signer;
  };
}

function isSigningKeySet(source: TokenKey | SigningKeySet): source is SigningKeySet {
  return typeof source === 'object' && source !== null && 'active' in source;
}

/** Tokens of a key that is not in the set would be refused by whoever verifies with the set. */
function requireMember({ active, keys }: SigningKeySet): TokenKey {
  if (!Array.isArray(keys) || !keys.includes(active))
    throw configInvalid('key', 'must have its active key among its keys');
  return active;
}

function signerOf(key: TokenKey, typ: string): Signer {
  requireSoundKey(key);
  if (key.sign === undefined) throw configInvalid('key', 'can only verify: use secretKey or privateKey');
  return { key: key.sign, signing: { algorithm: key.alg, header: headerOf(key, typ) } };
}
