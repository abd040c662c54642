import { setTimeout } from 'node:timers/promises';
import { wrapMethods } from './wrap-methods.ts';

export interface LatencyOptions {
  /** What every call waits for, before it reaches the store and again before it is answered. @default up to 3 ms, at random */
  readonly delay?: () => Promise<void>;
}

/**
 * Puts a way to go before and after every call of a store, as a network does, so that parallel calls
 * arrive and are answered in any order.
 *
 * @example
 * const slow = withLatency(createMemoryOnceStore(), { delay: () => Promise.resolve() });
 */
export function withLatency<T extends object>(store: T, options: LatencyOptions = {}): T {
  const { delay = () => setTimeout(Math.random() * 3) } = options;
  return wrapMethods(store, async (call) => {
    await delay();
    const answer = await call();
    await delay();
    return answer;
  });
}
