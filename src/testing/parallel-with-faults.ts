import { parallel } from './parallel.ts';
import { type Fault, withFaults } from './with-faults.ts';

const FAULTS: readonly (Fault | undefined)[] = ['before', 'after', undefined];

/** Of 50 calls in {@link parallelWithFaults}, those that take effect, the answer of every other one lost. */
export const EFFECTIVE_CALLS = 33;

/**
 * Makes 50 calls at once over a store that fails: by turns a call never reaches it, is done but its answer is
 * lost, or goes well.
 *
 * @returns the answers that arrived; `undefined` where a call failed.
 */
export function parallelWithFaults<S extends object, T>(
  store: S,
  call: (store: S, index: number) => Promise<T>,
): Promise<(T | undefined)[]> {
  let calls = 0;
  const failing = withFaults(store, () => FAULTS[calls++ % FAULTS.length]);
  return parallel((index) => call(failing, index).catch(() => undefined));
}
