import { configInvalid } from '../core/config-invalid.ts';
import { createJwsVerifier, type JwsVerifier } from './jws.ts';
import type { KeySet } from './key-set.ts';
import type { TokenKey } from './token-key.ts';

const refuseEveryToken: JwsVerifier = () => 'unknown_key';

/**
 * Makes the function that gives the signature layer for the keys of this moment. A list is copied once. Of a
 * key set each call reads `keys`, and only another array object is looked into.
 *
 * @param onChange is called before a layer for other keys is given.
 * @throws `CONFIG_INVALID` for keys that cannot be used now. A set that becomes unusable later refuses every
 * token until it is sound again: the keys before it may be the ones that somebody wanted gone.
 */
export function currentKeys(
  source: readonly TokenKey[] | KeySet,
  types: readonly string[],
  onChange: () => void,
): () => JwsVerifier {
  if (!isKeySet(source)) {
    const only = createJwsVerifier(source, types);
    return () => only;
  }
  let keys = source.keys;
  let verifyJws = createJwsVerifier(keys, types);
  return () => {
    const now = source.keys;
    if (now === keys) return verifyJws;
    onChange();
    verifyJws = refuseEveryToken;
    keys = now;
    try {
      verifyJws = createJwsVerifier(keys, types);
    } catch {
      // Refused until the set changes again.
    }
    return verifyJws;
  };
}

function isKeySet(source: readonly TokenKey[] | KeySet): source is KeySet {
  if (typeof source !== 'object' || source === null) throw configInvalid('keys', 'must be a list or a key set');
  return !Array.isArray(source);
}
