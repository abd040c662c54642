import type { RuleTrace, Trace, TracedAttribute } from '../../core/index.ts';
import type { CompiledRule } from './compiled-rule.ts';
import { type Detail, detailOf, type Seen } from './detail.ts';
import { type Outcomes, outcomeAt, type RuleSet } from './rule-set.ts';

/**
 * Decodes what the rules made of a request, in the order of the policy. The outcomes are those of the decision; a
 * rule that the index left out is known to be false.
 */
export function traceOf(all: readonly CompiledRule[], set: RuleSet, outcomes: Outcomes, seen: Seen): Trace {
  const rules = new Array<RuleTrace>(all.length);
  for (const one of all) rules[one.index] = ruleTrace(one, 'no_match', seen);
  set.rules.forEach((one, place) => {
    const outcome = outcomeAt(outcomes, place);
    if (outcome !== 'no_match') rules[one.index] = ruleTrace(one, outcome, seen);
  });
  return { rules };
}

function ruleTrace({ rule, node }: CompiledRule, outcome: RuleTrace['outcome'], seen: Seen): RuleTrace {
  const { texts, attributes }: Detail = detailOf(node, seen, true);
  return {
    ruleId: rule.id,
    effect: rule.effect,
    outcome,
    ...(texts.length > 0 && { detail: texts.join(', ') }),
    ...(attributes.length > 0 && { attributes: distinct(attributes) }),
  };
}

function distinct(attributes: readonly TracedAttribute[]): readonly TracedAttribute[] {
  return [...new Map(attributes.map((attribute) => [attribute.path, attribute])).values()];
}
