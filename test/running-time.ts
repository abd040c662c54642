const PERIOD_MS = 10;
/** Later than this is no ordinary timer: the process had no processor. */
const LATE_MS = 4;

const wall = (): number => Number(process.hrtime.bigint()) / 1e6;

/** Milliseconds of processor time that this process has used, all its threads together. */
export function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/**
 * A clock that stands still while this process is kept from running: by as much as its event loop comes late without
 * having computed anything meanwhile. For what must be done by a time, on a machine that is busy with something else.
 */
export function runningClock(): { now(): number; stop(): void } {
  let stalled = 0;
  let seen = wall();
  let used = processorMs();
  const look = (): number => {
    const [now, usedNow] = [wall(), processorMs()];
    const late = now - seen - PERIOD_MS - (usedNow - used);
    if (late > LATE_MS) stalled += late;
    seen = now;
    used = usedNow;
    return now - stalled;
  };
  const timer = setInterval(look, PERIOD_MS);
  return { now: look, stop: () => clearInterval(timer) };
}

/** How many milliseconds `act` takes by such a clock. */
export async function runningTime(act: () => unknown): Promise<number> {
  const clock = runningClock();
  try {
    const from = clock.now();
    await act();
    return clock.now() - from;
  } finally {
    clock.stop();
  }
}

/** How many milliseconds of processor time `act` takes: on a busy machine much the same as on an idle one. */
export async function processorTime(act: () => unknown): Promise<number> {
  const from = processorMs();
  await act();
  return processorMs() - from;
}
