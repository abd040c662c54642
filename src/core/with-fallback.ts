import { requireWholeNumber } from './config-invalid.ts';
import { type Decision, deny, isIndeterminate } from './decision.ts';
import { isPromise } from './maybe-promise.ts';
import { ask, askAll, isCollectable, type PolicyDecisionPoint, requireDecisionPoint } from './policy-decision-point.ts';

/**
 * Asks a second decision point where the first gave no answer (see `isIndeterminate`). A "no" of the first is an
 * answer. The second decides alone while the first is away, so it must not allow what the first would deny.
 *
 * @param timeoutMs - milliseconds after which a decision of the first counts as no answer; without it there is no limit
 * @throws `CONFIG_INVALID` when one of the two cannot decide, or the time is none: the fallback would decide everything.
 * @example
 * const pdp = withFallback(opa, createPolicyEngine(contractPolicy));
 */
export function withFallback(
  first: PolicyDecisionPoint,
  fallback: PolicyDecisionPoint,
  timeoutMs?: number,
): PolicyDecisionPoint {
  requireDecisionPoint('first', first);
  requireDecisionPoint('fallback', fallback);
  if (timeoutMs !== undefined) requireWholeNumber('timeoutMs', timeoutMs, 1, 600_000);
  return {
    ...(first.isSynchronous === true && fallback.isSynchronous === true && { isSynchronous: true }),
    decide: (request, options) => {
      const signal = options?.signal;
      const decision = ask(first, request, timeoutMs, signal);
      if (!isPromise(decision)) return isIndeterminate(decision) ? ask(fallback, request, undefined, signal) : decision;
      return decision.then((settled) =>
        isIndeterminate(settled) ? ask(fallback, request, undefined, signal) : settled,
      );
    },
    ...([first, fallback].some(isCollectable) && {
      decideAll: async (requests, options) => {
        const signal = options?.signal;
        const decisions = await askAll(first, requests, timeoutMs, signal);
        const unanswered = requests.filter((_, index) => isUnanswered(decisions[index]));
        if (unanswered.length === 0) return decisions;
        const answers = (await askAll(fallback, unanswered, undefined, signal)).values();
        return decisions.map((decision) =>
          isUnanswered(decision) ? (answers.next().value ?? deny('error')) : decision,
        );
      },
    }),
  };
}

function isUnanswered(decision: Decision | undefined): boolean {
  return decision === undefined || isIndeterminate(decision);
}
