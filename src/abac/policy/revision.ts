import { createHash } from 'node:crypto';
import type { Policy } from './policy.ts';

/**
 * A name for exactly this policy: 128 bits, so that nobody makes two policies of one name. A parsed policy has its
 * keys in one order, however they were written.
 */
export function revisionOf(parsed: Policy): string {
  return createHash('sha256').update(JSON.stringify(parsed)).digest('hex').slice(0, 32);
}
