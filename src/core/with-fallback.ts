import { isIndeterminate } from './decision.ts';
import { isPromise } from './maybe-promise.ts';
import { ask, type PolicyDecisionPoint } from './policy-decision-point.ts';

/**
 * Asks a second decision point where the first gave no answer (see `isIndeterminate`). A "no" of the first is an
 * answer. The second decides alone while the first is away, so it must not allow what the first would deny.
 *
 * @param timeoutMs - milliseconds after which a decision of the first counts as no answer; without it there is no limit
 * @example
 * const pdp = withFallback(opa, createPolicyEngine(contractPolicy));
 */
export function withFallback(
  first: PolicyDecisionPoint,
  fallback: PolicyDecisionPoint,
  timeoutMs?: number,
): PolicyDecisionPoint {
  return {
    decide: (request) => {
      const decision = ask(first, request, timeoutMs);
      if (!isPromise(decision)) return isIndeterminate(decision) ? ask(fallback, request) : decision;
      return decision.then((settled) => (isIndeterminate(settled) ? ask(fallback, request) : settled));
    },
  };
}
