import { lowerRule } from '../condition/lower.ts';
import type { Node } from '../condition/node.ts';
import type { Policy, PolicyRule } from '../policy/policy.ts';

/** A rule on its way to being compiled. */
export interface OrderedRule {
  readonly rule: PolicyRule;
  readonly node: Node;
  /** Its place in the order of decision. */
  readonly place: number;
}

/**
 * The rules in the order of decision: the first that fires decides. With `deny-overrides` that is the order of the
 * policy with all deny rules before all allow rules.
 */
export function inOrder({ rules, combining }: Policy): readonly OrderedRule[] {
  const denials = combining === 'deny-overrides' ? rules.filter(({ effect }) => effect === 'deny') : [];
  const others = denials.length === 0 ? rules : rules.filter(({ effect }) => effect !== 'deny');
  return [...denials, ...others].map((rule, place) => ({ rule, node: lowerRule(rule), place }));
}
