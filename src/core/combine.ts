import type { AccessRequest } from './access-request.ts';
import { type Decision, deny, isIndeterminate } from './decision.ts';
import { isPromise, type MaybePromise } from './maybe-promise.ts';
import { ask, askAll, isCollectable, type PolicyDecisionPoint, requireDecisionPoint } from './policy-decision-point.ts';

/**
 * Combines decision points so that the first that allows decides. If none allows, the first that
 * failed to answer decides, else the first that missed a scope, else the first denial: neither is ever
 * mistaken for a plain "no".
 * With no decision point at all it denies.
 *
 * @throws `CONFIG_INVALID` when one of them cannot decide.
 * @example
 * const pdp = anyOf(roleTable, attributePolicy);
 */
export function anyOf(...points: readonly PolicyDecisionPoint[]): PolicyDecisionPoint {
  return combined(points, (decision) => decision.allowed);
}

/**
 * Combines decision points so that all of them must allow; the first denial decides and the others
 * are not asked. With no decision point at all it denies.
 *
 * @throws `CONFIG_INVALID` when one of them cannot decide.
 * @example
 * const pdp = allOf(tenantPolicy, roleTable);
 */
export function allOf(...points: readonly PolicyDecisionPoint[]): PolicyDecisionPoint {
  return combined(points, (decision) => !decision.allowed);
}

type Settles = (decision: Decision) => boolean;

function combined(points: readonly PolicyDecisionPoint[], settles: Settles): PolicyDecisionPoint {
  for (const [index, point] of points.entries()) requireDecisionPoint(`points[${index}]`, point);
  return {
    ...(points.every(({ isSynchronous }) => isSynchronous === true) && { isSynchronous: true }),
    decide: (request, options) => firstThat(settles, points, request, options?.signal),
    ...(points.some(isCollectable) && {
      decideAll: (requests, options) => eachFirstThat(settles, points, requests, options?.signal),
    }),
  };
}

/** Asks in order until a decision settles the matter; otherwise answers with the weightiest one seen. */
function firstThat(
  settles: Settles,
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

/** The same for many requests: each point is asked once, for those that are not settled by then. */
async function eachFirstThat(
  settles: Settles,
  points: readonly PolicyDecisionPoint[],
  requests: readonly AccessRequest[],
  signal: AbortSignal | undefined,
): Promise<readonly Decision[]> {
  const kept = new Map<number, Decision>();
  let open = [...requests.entries()];
  for (const point of points) {
    if (open.length === 0) break;
    const asked = open.map(([, request]) => request);
    const answers = await askAll(point, asked, undefined, signal);
    open = open.filter(([index], position) => {
      const decision = answers[position] ?? deny('error');
      const isSettled = settles(decision);
      kept.set(index, isSettled ? decision : weightier(kept.get(index), decision));
      return !isSettled;
    });
  }
  return Array.from(requests, (_, index) => kept.get(index) ?? deny('no_rule'));
}

function weightier(kept: Decision | undefined, decision: Decision): Decision {
  return kept === undefined || weightOf(decision) > weightOf(kept) ? decision : kept;
}

/** Only a plain "no" is one about the subject; what a client lacks its user may have. */
function weightOf(decision: Decision): number {
  if (isIndeterminate(decision)) return 2;
  return decision.reason === 'insufficient_scope' ? 1 : 0;
}
