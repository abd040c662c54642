import type { AccessRequest } from './access-request.ts';
import { configInvalid, refuseUnknownOptions, requireWholeNumber } from './config-invalid.ts';
import { type Decision, isIndeterminate } from './decision.ts';
import { isPromise } from './maybe-promise.ts';
import { ask, askAll, isCollectable, type PolicyDecisionPoint, requireDecisionPoint } from './policy-decision-point.ts';

/** Two decision points that did not agree, or whose shadow gave no answer (see `isIndeterminate`). */
export interface Divergence {
  readonly request: AccessRequest;
  /** What was obeyed. */
  readonly decision: Decision;
  /** What the shadow said. */
  readonly shadow: Decision;
}

export interface ShadowOptions {
  /** Hears of every answer that differs. What it throws, or rejects with, is ignored. */
  readonly onDivergence: (divergence: Divergence) => void;
  /** Milliseconds after which the shadow's answer is not awaited any more. @default 2000 */
  readonly timeoutMs?: number;
  /** Shadow decisions awaited at once at most; what comes beyond is not compared. @default 100 */
  readonly maxPending?: number;
}

/**
 * Obeys one decision point and compares it with another, for example an OPA server that is to take over. The
 * shadow changes no answer and delays none.
 *
 * @throws `CONFIG_INVALID` when one of the two cannot decide, or an option is not valid.
 * @example
 * const pdp = shadow(engine, opa, { onDivergence: ({ decision, shadow }) => logger.warn({ decision, shadow }) });
 */
export function shadow(
  obeyed: PolicyDecisionPoint,
  compared: PolicyDecisionPoint,
  options: ShadowOptions,
): PolicyDecisionPoint {
  requireDecisionPoint('obeyed', obeyed);
  requireDecisionPoint('compared', compared);
  refuseUnknownOptions(options, ['onDivergence', 'timeoutMs', 'maxPending']);
  const { onDivergence } = options;
  if (typeof onDivergence !== 'function') throw configInvalid('onDivergence', 'must be a function');
  const timeoutMs = requireWholeNumber('timeoutMs', options.timeoutMs ?? 2_000, 1, 600_000);
  const maxPending = requireWholeNumber('maxPending', options.maxPending ?? 100, 1, 1_000_000);
  let pending = 0;

  const tell = async (divergence: Divergence): Promise<void> => {
    try {
      await onDivergence(divergence);
    } catch {}
  };
  const compare = async (request: AccessRequest, decision: Decision): Promise<void> => {
    if (pending >= maxPending) return;
    pending++;
    try {
      await undefined; // The answer goes out first.
      const other = await ask(compared, request, timeoutMs);
      const isSame = other.allowed === decision.allowed && !isIndeterminate(other);
      if (!isSame) void tell({ request, decision, shadow: other });
    } finally {
      pending--;
    }
  };

  return {
    ...(obeyed.isSynchronous === true && { isSynchronous: true }),
    decide: (request, options) => {
      const decision = ask(obeyed, request, undefined, options?.signal);
      if (!isPromise(decision)) {
        void compare(request, decision);
        return decision;
      }
      return decision.then((settled) => {
        void compare(request, settled);
        return settled;
      });
    },
    ...(isCollectable(obeyed) && {
      decideAll: async (requests, options) => {
        const decisions = await askAll(obeyed, requests, undefined, options?.signal);
        for (const [index, request] of requests.entries()) {
          const decision = decisions[index];
          if (decision !== undefined) void compare(request, decision);
        }
        return decisions;
      },
    }),
  };
}
