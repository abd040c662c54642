import type { AccessRequest } from './access-request.ts';
import { configInvalid } from './config-invalid.ts';
import { withDeadline } from './deadline.ts';
import { type Decision, deny } from './decision.ts';
import { isPromise, type MaybePromise, together } from './maybe-promise.ts';

export interface DecideOptions {
  /** Aborts when nobody waits for the answer any more; a remote decision point then ends its call. */
  readonly signal?: AbortSignal;
}

/**
 * Whatever answers access requests: the role table, the attribute engine, an OPA server, or a
 * combination of them. In-process decision points answer at once; only a remote one returns a promise.
 */
export interface PolicyDecisionPoint {
  /**
   * Says that `decide` always answers at once. A point that has `decideAll` and does not say so is taken for a remote
   * one: what is asked in the same turn may be collected for one `decideAll`. @default false
   */
  readonly isSynchronous?: boolean;
  decide(request: AccessRequest, options?: DecideOptions): MaybePromise<Decision>;
  decideAll?(requests: readonly AccessRequest[], options?: DecideOptions): MaybePromise<readonly Decision[]>;
}

/** The names a decision point knows, so that a misspelt one is found when the server is built. */
export interface Vocabulary {
  readonly roles: readonly string[];
  readonly permissions: readonly string[];
}

/** A decision point whose answers are always there at once. */
export interface SyncPolicyDecisionPoint extends PolicyDecisionPoint {
  decide(request: AccessRequest): Decision;
}

/**
 * Asks a decision point and turns whatever goes wrong (a throw, a rejection, an answer that is no
 * decision) into a denial with reason `error`. Enforcement points ask through this function only.
 *
 * @param timeoutMs - milliseconds after which a decision that is still awaited is a denial with reason `timeout`;
 * without it there is no limit
 * @param signal - given to the decision point; it shortens no wait by itself
 * @example
 * const decision = ask(pdp, { subject: principal, action: 'read', resource, environment });
 */
export function ask(
  pdp: PolicyDecisionPoint,
  request: AccessRequest,
  timeoutMs?: number,
  signal?: AbortSignal,
): MaybePromise<Decision> {
  try {
    const answer = signal === undefined ? pdp.decide(request) : pdp.decide(request, { signal });
    if (!isPromise(answer)) return checked(answer);
    const decision = Promise.resolve(answer).then(checked).catch(failed);
    if (timeoutMs === undefined) return decision;
    return withDeadline(decision, timeoutMs, () => new Error('late')).catch(() => deny('timeout'));
  } catch {
    return failed();
  }
}

/**
 * Asks for many decisions, in one call where the decision point can. Each answer stands at the place of its
 * request; if there are not as many answers as requests, nobody knows which is whose, and all are denials with
 * reason `error`.
 *
 * @param timeoutMs - milliseconds for all of them, as for {@link ask}
 * @param signal - given to the decision point, as for {@link ask}
 * @example
 * const decisions = await askAll(pdp, posts.map((resource) => ({ subject: principal, action: 'read', resource, environment })));
 */
export function askAll(
  pdp: PolicyDecisionPoint,
  requests: readonly AccessRequest[],
  timeoutMs?: number,
  signal?: AbortSignal,
): MaybePromise<readonly Decision[]> {
  if (pdp.decideAll === undefined) {
    return together(requests.map((request) => ask(pdp, request, timeoutMs, signal)));
  }
  const allChecked = (answers: readonly Decision[]): readonly Decision[] =>
    Array.isArray(answers) && answers.length === requests.length
      ? Array.from(answers, checked)
      : requests.map(() => failed());
  try {
    const answers = signal === undefined ? pdp.decideAll(requests) : pdp.decideAll(requests, { signal });
    if (!isPromise(answers)) return allChecked(answers);
    const decisions = Promise.resolve(answers)
      .then(allChecked)
      .catch(() => requests.map(failed));
    if (timeoutMs === undefined) return decisions;
    return withDeadline(decisions, timeoutMs, () => new Error('late')).catch(() => requests.map(() => deny('timeout')));
  } catch {
    return requests.map(failed);
  }
}

/** Whether questions are worth collecting for one call: those that take a call, at a point that takes many. */
export function isCollectable({ isSynchronous, decideAll }: PolicyDecisionPoint): boolean {
  return isSynchronous !== true && decideAll !== undefined;
}

/** What an answer inherits says nothing. */
function checked(answer: Decision): Decision {
  if (typeof answer !== 'object' || answer === null || !Object.hasOwn(answer, 'allowed')) return failed();
  return typeof answer.allowed === 'boolean' ? answer : failed();
}

function failed(): Decision {
  return deny('error');
}

/** @throws `CONFIG_INVALID` for what cannot decide: everything would be denied, or left to another decision point. */
export function requireDecisionPoint(field: string, value: unknown): void {
  if (typeof (value as Partial<PolicyDecisionPoint> | undefined)?.decide !== 'function')
    throw configInvalid(field, 'must be a decision point');
}
