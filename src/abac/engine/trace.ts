import type { RuleTrace, Trace, TracedAttribute } from '../../core/index.ts';
import { detailOf, type Seen } from './detail.ts';
import { outcomeOf } from './outcome.ts';
import type { OrderedRule } from './rules.ts';

/** Tells what every rule makes of a request, in the order in which they were given. */
export function traceOf(rules: readonly OrderedRule[], about: Pick<Seen, 'request' | 'predicates' | 'redact'>): Trace {
  const seen: Seen = { ...about, values: new Map(), answers: new Map(), outcomes: new Map() };
  return { rules: rules.map((rule) => ruleTrace(rule, seen)) };
}

function ruleTrace({ rule, node }: OrderedRule, seen: Seen): RuleTrace {
  const outcome = outcomeOf(node, seen);
  const { texts, attributes } = detailOf(node, seen, true);
  return {
    ruleId: rule.id,
    effect: rule.effect,
    outcome: outcome === undefined ? 'unknown' : outcome ? 'match' : 'no_match',
    ...(texts.length > 0 && { detail: texts.join(', ') }),
    ...(attributes.length > 0 && { attributes: distinct(attributes) }),
  };
}

function distinct(attributes: readonly TracedAttribute[]): readonly TracedAttribute[] {
  return [...new Map(attributes.map((attribute) => [`${attribute.path} ${attribute.value}`, attribute])).values()];
}
