import type { Effect } from '../../core/index.ts';
import type { Combining } from '../policy/policy.ts';
import { ALWAYS, all, any, type Formula, isFalse, isTrue, NEVER } from './formula.ts';
import type { Node } from './node.ts';

/** A rule as the combining sees it: the whole condition, and which way it goes. */
export interface LoweredRule {
  readonly effect: Effect;
  readonly node: Node;
}

/** When a rule does its part: an allow rule when it is true; a deny rule stays silent only when it is false. */
export interface RuleFormula {
  readonly effect: Effect;
  readonly formula: Formula;
}

/** When a policy allows. An allow rule fires when it is true; a deny rule stays silent only when it is false. */
export function allowedWhen(combining: Combining, rules: readonly LoweredRule[]): Formula {
  const formulas = rules.map(({ effect, node }) => ({
    effect,
    formula: effect === 'allow' ? isTrue(node) : isFalse(node),
  }));
  return combined(combining, formulas);
}

/** The same, of rules that are formulas already. */
export function combined(combining: Combining, rules: readonly RuleFormula[]): Formula {
  if (combining === 'first-match') {
    return rules.reduceRight<Formula>(
      (rest, { effect, formula }) => (effect === 'allow' ? any(formula, rest) : all(formula, rest)),
      NEVER,
    );
  }
  const denials = rules.filter(({ effect }) => effect === 'deny').map(({ formula }) => formula);
  const allows = rules.filter(({ effect }) => effect === 'allow').map(({ formula }) => formula);
  return all(ALWAYS, ...denials, any(...allows));
}
