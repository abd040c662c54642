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
