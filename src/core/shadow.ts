import type { AccessRequest } from './access-request.ts';
import { requireWholeNumber } from './config-invalid.ts';
import type { Decision } from './decision.ts';
import { isPromise } from './maybe-promise.ts';
import { ask, type PolicyDecisionPoint } from './policy-decision-point.ts';

/** Two decision points that did not agree, or whose shadow gave no answer (see `isIndeterminate`). */
export interface Divergence {
  readonly request: AccessRequest;
  /** What was obeyed. */
  readonly decision: Decision;
  /** What the shadow said. */
  readonly shadow: Decision;
}

export interface ShadowOptions {
  /** Hears of every answer that differs. What it throws is ignored. */
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
 * @throws `CONFIG_INVALID` when an option is not valid.
 * @example
 * const pdp = shadow(engine, opa, { onDivergence: ({ decision, shadow }) => logger.warn({ decision, shadow }) });
 */
export function shadow(
  obeyed: PolicyDecisionPoint,
  compared: PolicyDecisionPoint,
  options: ShadowOptions,
): PolicyDecisionPoint {
  const timeoutMs = requireWholeNumber('timeoutMs', options.timeoutMs ?? 2_000, 1, 600_000);
  const maxPending = requireWholeNumber('maxPending', options.maxPending ?? 100, 1, 1_000_000);
  let pending = 0;

  const report = (request: AccessRequest, decision: Decision, other: Decision): void => {
    if (other.allowed === decision.allowed) return;
    try {
      options.onDivergence({ request, decision, shadow: other });
    } catch {}
  };
  const compare = async (request: AccessRequest, decision: Decision): Promise<void> => {
    if (pending >= maxPending) return;
    pending++;
    try {
      await undefined; // The answer goes out first.
      report(request, decision, await ask(compared, request, timeoutMs));
    } finally {
      pending--;
    }
  };

  return {
    decide: (request) => {
      const decision = ask(obeyed, request);
      if (!isPromise(decision)) {
        void compare(request, decision);
        return decision;
      }
      return decision.then((settled) => {
        void compare(request, settled);
        return settled;
      });
    },
  };
}
