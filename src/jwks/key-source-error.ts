/** Why keys could not be had. Stable names, for the event `keys.unavailable` and for logs. */
export type KeySourceFailure =
  | 'network'
  | 'timeout'
  | 'status'
  | 'content_type'
  | 'too_large'
  | 'malformed'
  | 'issuer'
  | 'address'
  | 'private_key'
  | 'ambiguous_keys'
  | 'no_usable_key';

/** An attempt to get keys that came to nothing. It never leaves this folder. */
export class KeySourceError extends Error {
  readonly reason: KeySourceFailure;

  constructor(reason: KeySourceFailure) {
    super(`The keys are unavailable: ${reason}`);
    this.name = 'KeySourceError';
    this.reason = reason;
  }
}
