import type { Facts } from './facts.ts';

/**
 * What a condition came out as (Kleene's three-valued logic): `FALSE`, `TRUE` or `UNKNOWN`. Numbers, because a rule's
 * outcome then goes into the bit masks of a decision without a branch.
 */
export type Outcome = 0 | 1 | 2;

export const FALSE = 0;
export const TRUE = 1;
export const UNKNOWN = 2;

/** A condition made ready to be asked many times. */
export type Test = (facts: Facts) => Outcome;

export function outcomeOf(holds: boolean): Outcome {
  return holds ? TRUE : FALSE;
}

export function negated(outcome: Outcome): Outcome {
  return outcome === UNKNOWN ? UNKNOWN : outcomeOf(outcome === FALSE);
}
