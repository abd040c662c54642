import { withLatency } from './with-latency.ts';

/** One thing that a store has to do. It knows no test runner: hand `name` and `run` to the one you have. */
export interface StoreCase {
  readonly name: string;
  /** Opens a store and tries it. @throws what went wrong, an `AssertionError` or whatever the store threw. */
  run(): Promise<void>;
}

/** Opens a store that holds nothing yet. */
export type OpenStore<S> = () => S | Promise<S>;

/** A name, and what is tried under it. */
export type Checks<S> = Readonly<Record<string, (store: S) => Promise<void>>>;

/** Every check twice: over the store as it is, and over one whose calls arrive and are answered in any order. */
export function casesOf<S extends object>(open: OpenStore<S>, checks: Checks<S>): readonly StoreCase[] {
  return Object.entries(checks).flatMap(([name, check]) => [
    { name, run: async () => check(await open()) },
    { name: `${name} (calls delayed)`, run: async () => check(withLatency(await open())) },
  ]);
}
