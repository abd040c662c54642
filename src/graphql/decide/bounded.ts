import { allow, type Decision, deny, isPromise, type MaybePromise, withDeadline } from '../../core/index.ts';
import type { Call } from './call.ts';

/** Makes a decision of whatever an answer is: what goes wrong, takes too long, or is no decision is unknown. */
export type Bounded = (call: Call, decide: () => unknown) => MaybePromise<Decision>;

export interface BoundedOptions {
  /** Milliseconds for one answer. */
  readonly timeoutMs: number;
  readonly report: (error: unknown, coordinate: string) => void;
}

export function createBounded({ timeoutMs, report }: BoundedOptions): Bounded {
  return (call, decide) => {
    const failed = (error: unknown): Decision => {
      report(error, call.coordinate);
      return deny('error');
    };
    try {
      const answer = decide();
      if (!isPromise(answer)) return decisionOf(answer);
      const late = new Error('An authorization policy did not answer in time');
      return withDeadline(Promise.resolve(answer).then(decisionOf), timeoutMs, () => late).catch((error: unknown) => {
        const unknown = failed(error);
        return error === late ? deny('timeout') : unknown;
      });
    } catch (error) {
      return failed(error);
    }
  };
}

function decisionOf(answer: unknown): Decision {
  if (answer === true) return allow('rule');
  if (answer === false) return deny('rule');
  return isDecision(answer) ? answer : deny('invalid_answer');
}

function isDecision(answer: unknown): answer is Decision {
  if (typeof answer !== 'object' || answer === null || !Object.hasOwn(answer, 'allowed')) return false;
  return 'allowed' in answer && typeof answer.allowed === 'boolean';
}
