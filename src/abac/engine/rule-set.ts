import type { CompiledRule } from './compiled-rule.ts';
import type { Facts } from './facts.ts';
import { CHUNK, type RuleChunk } from './rule-chunk.ts';
import { nextFlip } from './valid-until.ts';

/** Two words for each 32 rules: which of them were true, and which unknown. */
export type Outcomes = readonly number[];

/** The rules at the end of a branch of the index, ready to be asked. */
export interface RuleSet {
  readonly rules: readonly CompiledRule[];
  readonly chunks: readonly RuleChunk[];
  /** For each chunk a bit for each rule that denies. */
  readonly denies: readonly number[];
  readonly clocked: readonly number[];
}

export function ruleSet(
  rules: readonly CompiledRule[],
  chunkOf: (rules: readonly CompiledRule[]) => RuleChunk,
): RuleSet {
  const parts: (readonly CompiledRule[])[] = [];
  for (let i = 0; i < rules.length; i += CHUNK) parts.push(rules.slice(i, i + CHUNK));
  return {
    rules,
    chunks: parts.map(chunkOf),
    denies: parts.map((some) => some.reduce((bits, { rule }, i) => bits | (Number(rule.effect === 'deny') << i), 0)),
    clocked: [...rules.keys()].filter((place) => rules[place]?.clock !== undefined),
  };
}

/** Asks every rule. */
export function outcomesOf({ chunks }: RuleSet, facts: Facts): Outcomes {
  return chunks.length === 1
    ? (chunks[0] as RuleChunk).outcomes(facts)
    : chunks.flatMap((chunk) => chunk.outcomes(facts));
}

/** The place of the first rule that fired, or -1: an allow rule that was true, or a deny rule that was not false. */
export function firstIn({ denies }: RuleSet, outcomes: Outcomes): number {
  for (let i = 0; i < denies.length; i++) {
    const matches = outcomes[2 * i] ?? 0;
    const firing = matches | ((outcomes[2 * i + 1] ?? 0) & (denies[i] ?? 0));
    if (firing !== 0) return i * CHUNK + 31 - Math.clz32(firing & -firing);
  }
  return -1;
}

/** Asks rules until one fires; its place, or -1. */
export function firstOf({ chunks }: RuleSet, facts: Facts): number {
  for (let i = 0; i < chunks.length; i++) {
    const first = (chunks[i] as RuleChunk).first(facts);
    if (first >= 0) return i * CHUNK + first;
  }
  return -1;
}

/** What became of the rule at a place. */
export function outcomeAt(outcomes: Outcomes, place: number): 'match' | 'no_match' | 'unknown' {
  const word = 2 * Math.floor(place / CHUNK);
  const bit = 1 << (place % CHUNK);
  if (((outcomes[word] ?? 0) & bit) !== 0) return 'match';
  return ((outcomes[word + 1] ?? 0) & bit) !== 0 ? 'unknown' : 'no_match';
}

/**
 * The next moment at which the clock could change a decision; `undefined` when none can. What comes after the
 * rule that decided has no say, nor has a clock whose rule is false for another reason.
 *
 * @param decided - the place of that rule, or -1
 */
export function validUntil({ rules, clocked }: RuleSet, facts: Facts, decided: number): number | undefined {
  let until = Number.POSITIVE_INFINITY;
  for (let i = 0; i < clocked.length; i++) {
    const place = clocked[i] as number;
    if (decided !== -1 && place > decided) break;
    const clock = rules[place]?.clock;
    if (clock?.isRead(facts)) until = Math.min(until, nextFlip(clock.flips, facts));
  }
  return until === Number.POSITIVE_INFINITY ? undefined : until;
}
