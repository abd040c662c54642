import type { Effect } from '../../core/index.ts';
import type { Combining } from '../policy/policy.ts';
import { ALWAYS, all, any, type Formula, isFalse, isTrue, NEVER } from './formula.ts';
import type { Node } from './node.ts';

/** A rule as the combining sees it: the whole condition, and which way it goes. */
export interface LoweredRule {
  readonly effect: Effect;
  readonly node: Node;
}

/** When a policy allows. An allow rule fires when it is true; a deny rule stays silent only when it is false. */
export function allowedWhen(combining: Combining, rules: readonly LoweredRule[]): Formula {
  if (combining === 'first-match') {
    return rules.reduceRight<Formula>(
      (rest, { effect, node }) => (effect === 'allow' ? any(isTrue(node), rest) : all(isFalse(node), rest)),
      NEVER,
    );
  }
  const denials = rules.filter(({ effect }) => effect === 'deny').map(({ node }) => isFalse(node));
  const allows = rules.filter(({ effect }) => effect === 'allow').map(({ node }) => isTrue(node));
  return all(ALWAYS, ...denials, any(...allows));
}
