import type { AccessRequest, Decision, Trace } from '../../core/index.ts';
import type { OrderedRule } from './rules.ts';

/** Makes the decision of the rule at a place, valid until a moment (`undefined`: for as long as nothing else changes). */
export type Answer = (place: number, request: AccessRequest, until: number | undefined) => Decision;

/** The decisions of all rules, and at the end that of none: shared and frozen, as nothing of a request is in them. */
function decisionsOf(rules: readonly OrderedRule[], revision: string): readonly Decision[] {
  const decisions = rules.map(
    ({ rule: { id: ruleId, effect } }): Decision =>
      Object.freeze({ allowed: effect === 'allow', effect, reason: 'rule', ruleId, revision }),
  );
  return [...decisions, Object.freeze({ allowed: false, effect: 'deny', reason: 'no_rule', revision })];
}

/** Answers without a trace. */
export function answering(rules: readonly OrderedRule[], revision: string): Answer {
  const decisions = decisionsOf(rules, revision);
  return (place, _, validUntil) => {
    const decision = decisions[place] as Decision;
    if (validUntil === undefined) return decision;
    const { allowed, effect, reason, ruleId } = decision;
    // Written out, since a spread is much slower.
    return ruleId === undefined
      ? { allowed, effect, reason, revision, validUntil }
      : { allowed, effect, reason, ruleId, revision, validUntil };
  };
}

/** Answers with a trace, which is worked out when somebody asks for it. */
export function tracing(
  rules: readonly OrderedRule[],
  revision: string,
  traceOfRequest: (request: AccessRequest) => Trace,
): Answer {
  const decisions = decisionsOf(rules, revision);
  return (place, request, validUntil) => {
    const { allowed, effect, reason, ruleId } = decisions[place] as Decision;
    const trace = (): Trace => traceOfRequest(request);
    if (validUntil === undefined) {
      return ruleId === undefined
        ? { allowed, effect, reason, revision, trace }
        : { allowed, effect, reason, ruleId, revision, trace };
    }
    return ruleId === undefined
      ? { allowed, effect, reason, revision, validUntil, trace }
      : { allowed, effect, reason, ruleId, revision, validUntil, trace };
  };
}
