import { withDeadline } from './deadline.ts';
import { DoorwardError } from './errors.ts';

/**
 * Runs a call of the outside world, for example of a store; late, throwing and rejecting become the same
 * error.
 *
 * @param timeoutMs - milliseconds
 * @throws `SERVICE_UNAVAILABLE`
 */
export async function guarded<T>(call: () => Promise<T>, timeoutMs: number): Promise<T> {
  try {
    return await withDeadline(call(), timeoutMs, () => new Error(`no answer within ${timeoutMs} ms`));
  } catch (cause) {
    throw new DoorwardError('SERVICE_UNAVAILABLE', { cause });
  }
}

/** @throws an `Error` for what is no boolean: a count of rows or `undefined` is no answer of a store. */
export function checkedFlag(answer: unknown): boolean {
  if (typeof answer !== 'boolean') throw new Error('the store did not answer with a boolean');
  return answer;
}
