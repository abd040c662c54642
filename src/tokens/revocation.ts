import { configInvalid } from '../core/config-invalid.ts';
import { isPromise } from '../core/index.ts';
import type { Claims } from './result.ts';

/** The hook among the options of a verifier. */
export interface RevocationOptions {
  /**
   * Asked about every token that is otherwise good, remembered or not. Whatever it says but `false`, and
   * also when it throws, the token is revoked.
   */
  readonly isRevoked?: (claims: Claims) => boolean;
}

/**
 * Reads the hook. Absent is absent, but one that is there must be a function: `undefined` would revoke nothing.
 *
 * @throws `CONFIG_INVALID`
 */
export function readRevocation(options: RevocationOptions): (claims: Claims) => boolean {
  if (!Object.hasOwn(options, 'isRevoked')) return () => false;
  const { isRevoked } = options;
  if (typeof isRevoked !== 'function') throw configInvalid('isRevoked', 'must be a function when it is given');
  return (claims) => {
    try {
      const answer: unknown = isRevoked(claims);
      // A promise is no answer. When it is rejected, that must not end the process.
      if (isPromise(answer)) answer.then(undefined, () => undefined);
      return answer !== false;
    } catch {
      return true;
    }
  };
}
