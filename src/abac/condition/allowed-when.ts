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
  return combined(combining, rules.map(ruleFormula));
}

/** When a rule does its part. */
export function ruleFormula({ effect, node }: LoweredRule): RuleFormula {
  return { effect, formula: effect === 'allow' ? isTrue(node) : isFalse(node) };
}

/** The same as {@link allowedWhen}, of rules that are formulas already. */
export function combined(combining: Combining, rules: readonly RuleFormula[]): Formula {
  if (combining === 'first-match') return firstMatch(rules);
  const denials = rules.filter(({ effect }) => effect === 'deny').map(({ formula }) => formula);
  const allows = rules.filter(({ effect }) => effect === 'allow').map(({ formula }) => formula);
  return all(ALWAYS, ...denials, any(...allows));
}

/** More rules than this are halved: MongoDB nests a query 100 deep at most, and a stack ends somewhere too. */
const MANY = 32;

/**
 * Either the earlier rules allow, or none of them denies and the later ones allow. One by one, in which every rule
 * stands once, is the shortest way to say so, and the deepest.
 */
function firstMatch(rules: readonly RuleFormula[]): Formula {
  if (rules.length > MANY) {
    const middle = rules.length >> 1;
    const earlier = rules.slice(0, middle);
    const silent = earlier.filter(({ effect }) => effect === 'deny').map(({ formula }) => formula);
    return any(firstMatch(earlier), all(...silent, firstMatch(rules.slice(middle))));
  }
  return rules.reduceRight<Formula>(
    (rest, { effect, formula }) => (effect === 'allow' ? any(formula, rest) : all(formula, rest)),
    NEVER,
  );
}
