import { lowerRule } from '../condition/lower.ts';
import type { Node } from '../condition/node.ts';
import type { Policy, PolicyRule } from '../policy/policy.ts';
import { type Atom, atomOf } from './atom.ts';
import { testOf } from './closure.ts';
import { FALSE, type Test } from './outcome.ts';
import { checkedPredicates, type Predicates } from './predicates.ts';
import { type Flip, flipsOf } from './valid-until.ts';

/** A rule made ready to be asked many times. */
export interface CompiledRule {
  readonly rule: PolicyRule;
  /** Its place in the policy. */
  readonly index: number;
  /** Its place in the order of decision. */
  readonly order: number;
  readonly node: Node;
  /** What its resource type, action and so on must be; the index is made of these. */
  readonly atoms: readonly Atom[];
  readonly test: Test;
  readonly clock: ClockUse | undefined;
}

/** How a rule depends on the clock, if it does. */
export interface ClockUse {
  readonly flips: readonly Flip[];
  /** False when the parts without a clock have settled the matter, whatever time it is. */
  readonly isRead: (facts: Parameters<Test>[0]) => boolean;
}

export interface CompiledRules {
  /**
   * In the order of decision: the first that fires decides. With `deny-overrides` that is the order of the policy
   * with all deny rules before all allow rules.
   */
  readonly rules: readonly CompiledRule[];
  readonly predicates: ReadonlyMap<string, Test>;
}

/** @throws `CONFIG_INVALID` when a predicate is missing. */
export function compileRules({ rules, combining }: Policy, given: Predicates | undefined): CompiledRules {
  const nodes = rules.map(lowerRule);
  const predicates = checkedPredicates(given, nodes);
  const indexes = [...rules.keys()];
  if (combining === 'deny-overrides') indexes.sort((a, b) => allows(rules[a]) - allows(rules[b]) || a - b);
  const compiled = indexes.map((index, order) =>
    compileRule(rules[index] as PolicyRule, index, order, nodes[index] as Node, predicates),
  );
  return { rules: compiled, predicates };
}

function allows(rule: PolicyRule | undefined): number {
  return rule?.effect === 'allow' ? 1 : 0;
}

function compileRule(
  rule: PolicyRule,
  index: number,
  order: number,
  node: Node,
  predicates: ReadonlyMap<string, Test>,
): CompiledRule {
  const parts = node.kind === 'and' ? node.nodes : [node];
  return {
    rule,
    index,
    order,
    node,
    atoms: parts.flatMap((part) => atomOf(part) ?? []),
    test: testOf(node, predicates),
    clock: clockUse(parts, predicates),
  };
}

function clockUse(parts: readonly Node[], predicates: ReadonlyMap<string, Test>): ClockUse | undefined {
  const flips = [...new Set(parts.flatMap(flipsOf))];
  if (flips.length === 0) return undefined;
  const timeless = testOf({ kind: 'and', nodes: parts.filter((part) => flipsOf(part).length === 0) }, predicates);
  return { flips, isRead: (facts) => timeless(facts) !== FALSE };
}
