import type { AccessRequest } from './access-request.ts';
import { type Decision, deny, isIndeterminate } from './decision.ts';
import { isPromise, type MaybePromise } from './maybe-promise.ts';
import { ask, type PolicyDecisionPoint } from './policy-decision-point.ts';

/**
 * Combines decision points so that the first that allows decides. If none allows, the first that
 * failed to answer decides, else the first that missed a scope, else the first denial: neither is ever
 * mistaken for a plain "no".
 * With no decision point at all it denies.
 *
 * @example
 * const pdp = anyOf(roleTable, attributePolicy);
 */
export function anyOf(...points: readonly PolicyDecisionPoint[]): PolicyDecisionPoint {
  return { decide: (request, options) => firstThat((decision) => decision.allowed, points, request, options?.signal) };
}

/**
 * Combines decision points so that all of them must allow; the first denial decides and the others
 * are not asked. With no decision point at all it denies.
 *
 * @example
 * const pdp = allOf(tenantPolicy, roleTable);
 */
export function allOf(...points: readonly PolicyDecisionPoint[]): PolicyDecisionPoint {
  return { decide: (request, options) => firstThat((decision) => !decision.allowed, points, request, options?.signal) };
}

/** Asks in order until a decision settles the matter; otherwise answers with the weightiest one seen. */
function firstThat(
  settles: (decision: Decision) => boolean,
  points: readonly PolicyDecisionPoint[],
  request: AccessRequest,
  signal: AbortSignal | undefined,
): MaybePromise<Decision> {
  const from = (index: number, kept: Decision | undefined): MaybePromise<Decision> => {
    const point = points[index];
    if (point === undefined) return kept ?? deny('no_rule');
    const next = (decision: Decision): MaybePromise<Decision> =>
      settles(decision) ? decision : from(index + 1, weightier(kept, decision));
    const answer = ask(point, request, undefined, signal);
    return isPromise(answer) ? answer.then(next) : next(answer);
  };
  return from(0, undefined);
}

function weightier(kept: Decision | undefined, decision: Decision): Decision {
  return kept === undefined || weightOf(decision) > weightOf(kept) ? decision : kept;
}

/** Only a plain "no" is one about the subject; what a client lacks its user may have. */
function weightOf(decision: Decision): number {
  if (isIndeterminate(decision)) return 2;
  return decision.reason === 'insufficient_scope' ? 1 : 0;
}
