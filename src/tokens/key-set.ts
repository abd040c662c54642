import type { TokenKey } from './token-key.ts';

/** Keys that may change while the server runs. */
export interface KeySet {
  /** What tokens are verified with now; another array object whenever anything changed, never the same one changed. */
  readonly keys: readonly TokenKey[];
}

/** A key set that also says which of its keys signs. */
export interface SigningKeySet extends KeySet {
  /** The key to sign with now; it is among `keys`. */
  readonly active: TokenKey;
}
