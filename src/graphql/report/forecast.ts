import { type Decision, isIndeterminate } from '../../core/index.ts';
import type { Rule } from '../rules/rule.ts';

/**
 * What a decision can come to, as far as `not`, `any` and `all` tell decisions apart: yes, no, "the client was not
 * granted it", and unknown. Only a yes lets through.
 */
export type Outcome = 'YES' | 'NO' | 'NARROWED' | 'UNKNOWN';

/** Every outcome that is possible before the arguments, the parent and the result are there. */
export type Outcomes = ReadonlySet<Outcome>;

export const ANY_OUTCOME: Outcomes = new Set(['YES', 'NO', 'NARROWED', 'UNKNOWN']);

/** Tells the outcomes of a condition on the principal and the moment. */
export type OutcomesOf = (leaf: Rule) => Outcomes;

export function outcomeOf(decision: Decision): Outcome {
  if (decision.allowed) return 'YES';
  if (isIndeterminate(decision)) return 'UNKNOWN';
  return decision.reason === 'insufficient_scope' ? 'NARROWED' : 'NO';
}

/** The conditions of a rule that can be decided without a call. */
export function principalLeaves(rule: Rule): readonly Rule[] {
  switch (rule.kind) {
    case 'all':
    case 'any':
      return rule.rules.flatMap(principalLeaves);
    case 'not':
      return principalLeaves(rule.rule);
    default:
      return rule.principalOnly ? [rule] : [];
  }
}

/** What a rule can come to, by the same logic by which it is decided. */
export function forecast(rule: Rule, outcomesOf: OutcomesOf): Outcomes {
  switch (rule.kind) {
    case 'all':
      return weighed(rule.rules, outcomesOf, (outcome) => outcome === 'NO');
    case 'any':
      return weighed(rule.rules, outcomesOf, (outcome) => outcome === 'YES');
    case 'not':
      return new Set([...forecast(rule.rule, outcomesOf)].map(inverted));
    default:
      return rule.principalOnly ? outcomesOf(rule) : ANY_OUTCOME;
  }
}

/** Whether a rule may let through, and whether it may not. */
export function accessOf(outcomes: Outcomes): 'allow' | 'deny' | 'conditional' {
  if (!outcomes.has('YES')) return 'deny';
  return outcomes.size === 1 ? 'allow' : 'conditional';
}

/** The first outcome that settles the matter, else the first that is open, else the last: on all ways at once. */
function weighed(rules: readonly Rule[], outcomesOf: OutcomesOf, settles: (outcome: Outcome) => boolean): Outcomes {
  const settled = new Set<Outcome>();
  let kept = new Set<Outcome>(['NO']);
  for (const rule of rules) {
    const next = new Set<Outcome>();
    for (const outcome of forecast(rule, outcomesOf)) {
      if (settles(outcome)) settled.add(outcome);
      else for (const before of kept) next.add(isOpen(before) ? before : outcome);
    }
    kept = next;
  }
  return new Set([...settled, ...kept]);
}

function isOpen(outcome: Outcome): boolean {
  return outcome === 'UNKNOWN' || outcome === 'NARROWED';
}

function inverted(outcome: Outcome): Outcome {
  if (isOpen(outcome)) return outcome;
  return outcome === 'YES' ? 'NO' : 'YES';
}
