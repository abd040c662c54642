import type { CompiledRule } from './compiled-rule.ts';
import type { Facts } from './facts.ts';
import { FALSE, TRUE } from './outcome.ts';

/** How many rules fit into one word of bits. */
export const CHUNK = 32;

/** Up to 32 rules, asked together. */
export interface RuleChunk {
  /** The outcomes of all: a bit for each rule that is true, and a bit for each that is unknown. */
  readonly outcomes: (facts: Facts) => readonly [matches: number, unknowns: number];
  /** The place of the first rule that fires, or -1; no rule after it is asked. */
  readonly first: (facts: Facts) => number;
}

/** Asks rules by their closures. */
export function closureChunk(rules: readonly CompiledRule[]): RuleChunk {
  const tests = rules.map(({ test }) => test);
  const denies = rules.map(({ rule }) => rule.effect === 'deny');
  return {
    outcomes: (facts) => {
      let matches = 0;
      let unknowns = 0;
      for (let i = 0; i < tests.length; i++) {
        const outcome = (tests[i] as CompiledRule['test'])(facts);
        matches |= (outcome & 1) << i;
        unknowns |= (outcome >> 1) << i;
      }
      return [matches, unknowns];
    },
    first: (facts) => {
      for (let i = 0; i < tests.length; i++) {
        const outcome = (tests[i] as CompiledRule['test'])(facts);
        if (outcome === TRUE || (outcome !== FALSE && denies[i] === true)) return i;
      }
      return -1;
    },
  };
}
