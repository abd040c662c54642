/** Runs something later, unless what it returns is called before. */
export type Later = (run: () => void) => () => void;

interface Waiter {
  readonly end: number;
  readonly run: () => void;
  isIn: boolean;
  previous: Waiter | undefined;
  next: Waiter | undefined;
}

/** Runs one thing after so many milliseconds. */
export function after(ms: number): Later {
  return (run) => {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  };
}

/**
 * Runs many things, each after the same time, with one timer: what begins first ends first, so a list is enough. A
 * timer each would be a fifth of the cost of a decision that shares its call.
 */
export function deadlines(ms: number): Later {
  let first: Waiter | undefined;
  let last: Waiter | undefined;
  let timer: NodeJS.Timeout | undefined;

  const remove = (waiter: Waiter): void => {
    if (!waiter.isIn) return;
    const { previous, next } = waiter;
    if (previous === undefined) first = next;
    else previous.next = next;
    if (next === undefined) last = previous;
    else next.previous = previous;
    waiter.isIn = false;
    waiter.previous = undefined;
    waiter.next = undefined;
    // Nobody waits, so the process may end.
    if (first === undefined) timer?.unref();
  };

  const runDue = (): void => {
    timer = undefined;
    const now = performance.now();
    while (first !== undefined && first.end <= now) {
      const { run } = first;
      remove(first);
      run();
    }
    if (first !== undefined && timer === undefined) timer = setTimeout(runDue, Math.max(1, first.end - now));
  };

  return (run) => {
    const waiter: Waiter = { end: performance.now() + ms, run, isIn: true, previous: last, next: undefined };
    if (last === undefined) first = waiter;
    else last.next = waiter;
    last = waiter;
    if (timer === undefined) timer = setTimeout(runDue, ms);
    else if (first === waiter) timer.ref();
    return () => remove(waiter);
  };
}
