import { wrapMethods } from './wrap-methods.ts';

/** When a call fails: before it did anything, or after all of it was done and only the answer was lost. */
export type Fault = 'before' | 'after';

/**
 * Lets calls of a store fail. After a fault of the kind `after` nobody can tell whether the operation took
 * effect, though it did: what to do then is the question that a suite should ask.
 *
 * @param fault - decides about each call, by the name of the method
 * @example
 * const failing = withFaults(store, (method) => (method === 'rotate' ? 'after' : undefined));
 */
export function withFaults<T extends object>(store: T, fault: (method: string) => Fault | undefined): T {
  return wrapMethods(store, async (call, method) => {
    const kind = fault(method);
    if (kind === 'before') throw new Error(`${method} did not reach the store`);
    const answer = await call();
    if (kind === 'after') throw new Error(`the answer of ${method} was lost`);
    return answer;
  });
}
