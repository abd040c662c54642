import { refuseUnknownOptions, requireWholeNumber } from '../core/config-invalid.ts';
import type { TokenResult } from './result.ts';

export interface TokenCacheOptions {
  /** Tokens remembered at most, 2 to 1,000,000. The half of them that were used last are never forgotten. */
  readonly maxTokens: number;
}

/** A token that was accepted once, with what does not change about it. */
export interface VerifiedToken {
  /** The whole token, in its one canonical spelling. */
  readonly token: string;
  /** Frozen to its depth, since every caller gets this one. */
  readonly result: Extract<TokenResult, { ok: true }>;
  /** The reading of the monotonic clock at which it ends, whatever the wall clock says then. */
  readonly deadline: number;
}

export interface VerifiedCache {
  find(token: string): VerifiedToken | undefined;
  keep(verified: VerifiedToken): void;
  clear(): void;
}

/** The characters of an HS256 signature: enough to tell signatures apart, and quicker to look up than a token. */
const TAIL_LENGTH = 43;

/**
 * Makes the cache that a verifier's options ask for.
 *
 * @throws `CONFIG_INVALID`
 */
export function readCache(options: TokenCacheOptions | undefined): VerifiedCache | undefined {
  if (options === undefined) return undefined;
  refuseUnknownOptions(options, ['maxTokens']);
  const { maxTokens } = options;
  requireWholeNumber('maxTokens', maxTokens, 2, 1_000_000);
  return createVerifiedCache(maxTokens);
}

/**
 * Keeps accepted tokens, found by the end of their signature and then compared as a whole. Only a token that
 * was accepted comes in, so nobody without a key can fill it or make its entries collide.
 *
 * @param maxTokens at least 2; the half of them that were used last are never forgotten
 */
function createVerifiedCache(maxTokens: number): VerifiedCache {
  // Two generations: when the young one is full it becomes the old one, and what was old and not used
  // since is gone.
  const generationSize = Math.floor(maxTokens / 2);
  let young = new Map<string, VerifiedToken>();
  let old = young;

  function put(verified: VerifiedToken): void {
    // Cut from the token that is kept: a piece of the one that was presented would keep all of that in memory.
    const tail = tailOf(verified.token);
    if (young.size >= generationSize && !young.has(tail)) {
      old = young;
      young = new Map();
    }
    young.set(tail, verified);
  }

  return {
    find(token) {
      const tail = tailOf(token);
      const recent = young.get(tail);
      if (recent !== undefined) return recent.token === token ? recent : undefined;
      const older = old.get(tail);
      if (older === undefined || older.token !== token) return undefined;
      put(older);
      return older;
    },
    keep(verified) {
      // A copy: a piece of a longer text, such as a header line, would keep all of that text in memory.
      const token = Buffer.from(verified.token).toString();
      put({ ...verified, token });
    },
    clear() {
      young = new Map();
      old = young;
    },
  };
}

function tailOf(token: string): string {
  return token.slice(-TAIL_LENGTH);
}
