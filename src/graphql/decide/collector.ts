import { endOfTurn } from '../../core/end-of-turn.ts';
import {
  type AccessRequest,
  askAll,
  type Decision,
  deny,
  type PolicyDecisionPoint,
  withDeadline,
} from '../../core/index.ts';
import type { Call } from './call.ts';

/** Asks a decision point together with all that is asked for the same principal object in the same turn. */
export type Collect = (point: PolicyDecisionPoint, request: AccessRequest, call: Call) => Promise<Decision>;

export interface CollectorOptions {
  /** Milliseconds for one call. */
  readonly timeoutMs: number;
  readonly report: (error: unknown, coordinate: string) => void;
}

/** Questions that wait for the end of their turn. */
interface Batch {
  readonly requests: AccessRequest[];
  /** Of all who ask; without one as soon as two of them differ, since one must not end the call of the other. */
  signal: AbortSignal | undefined;
  readonly answers: Promise<readonly Decision[]>;
}

/**
 * Makes one `decideAll` of the questions of a turn, so that a list with a rule on each item costs one call. What one
 * principal asks is never sent together with what another asks: a call that fails is the failure of one request.
 * An answer belongs to the question at its place; when there are too few, too many, or they are late, nobody is let
 * through.
 */
export function createCollector({ timeoutMs, report }: CollectorOptions): Collect {
  const waiting = new WeakMap<object, Map<PolicyDecisionPoint, Batch>>();

  function open(point: PolicyDecisionPoint, { principal, auth, coordinate }: Call): Batch {
    const batches = waiting.get(principal) ?? new Map<PolicyDecisionPoint, Batch>();
    waiting.set(principal, batches);
    const known = batches.get(point);
    if (known !== undefined) {
      if (known.signal !== auth.signal) known.signal = undefined;
      return known;
    }

    const requests: AccessRequest[] = [];
    const answers = endOfTurn().then(() => {
      batches.delete(point);
      const { signal } = batch;
      const late = new Error('A decision point did not answer in time');
      const decisions = Promise.resolve(askAll(point, requests, undefined, signal));
      return withDeadline(decisions, timeoutMs, () => late).catch((error: unknown) => {
        report(error, coordinate);
        return requests.map(() => deny(error === late ? 'timeout' : 'error'));
      });
    });
    const batch: Batch = { requests, answers, signal: auth.signal };
    batches.set(point, batch);
    return batch;
  }

  return (point, request, call) => {
    const { requests, answers } = open(point, call);
    const place = requests.push(request) - 1;
    return answers.then((decisions) => decisions[place] ?? deny('error'));
  };
}
