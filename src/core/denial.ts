import { type Decision, isIndeterminate } from './decision.ts';
import type { Principal } from './principal.ts';

/** `unauthenticated` is 401, `forbidden` is 403, `unavailable` is 503. */
export type Denial = 'unauthenticated' | 'forbidden' | 'unavailable';

/**
 * Turns a decision into what an enforcement point must answer; the only place where a denial becomes
 * one or the other. Without a principal it is always `unauthenticated`.
 *
 * @returns `undefined` when the decision allows.
 * @example
 * denialOf(undefined, deny('no_permission')); // 'unauthenticated'
 */
export function denialOf(principal: Principal | undefined, decision: Decision): Denial | undefined {
  if (principal === undefined) return 'unauthenticated';
  if (decision.allowed === true) return undefined;
  return isIndeterminate(decision) ? 'unavailable' : 'forbidden';
}
