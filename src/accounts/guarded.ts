import { DoorwardError, withDeadline } from '../core/index.ts';

const MAX_ID_LENGTH = 256;

/** Runs a call of the outside world; late, throwing and rejecting become the same error. */
export async function guarded<T>(call: () => Promise<T>, timeoutMs: number): Promise<T> {
  try {
    return await withDeadline(call(), timeoutMs, () => new Error(`no answer within ${timeoutMs} ms`));
  } catch (cause) {
    throw new DoorwardError('SERVICE_UNAVAILABLE', { cause });
  }
}

/** Databases refuse NUL and lone surrogates with an error; nothing has such an id. */
export function isId(id: unknown): id is string {
  return typeof id === 'string' && id.length <= MAX_ID_LENGTH && !/[\0\p{Surrogate}]/u.test(id);
}

/** @throws an `Error` for what is no boolean: a count of rows or `undefined` is no answer. */
export function checkedFlag(answer: unknown): boolean {
  if (typeof answer !== 'boolean') throw new Error('the store did not answer with a boolean');
  return answer;
}
