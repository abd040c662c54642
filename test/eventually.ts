import { setTimeout as sleep } from 'node:timers/promises';

/** Longer than a busy machine needs, shorter than a test may take and than any keep-alive of ours. */
const PATIENCE_MS = 10_000;

/**
 * Runs `check` until it does not throw, and returns what it returned. `vi.waitFor` gives up after a second, and moves
 * fake timers on.
 */
export async function eventually<T>(check: () => T | Promise<T>): Promise<T> {
  // Not performance.now(), which tests hold still.
  const start = process.hrtime.bigint();
  for (;;) {
    const isLast = process.hrtime.bigint() - start > BigInt(PATIENCE_MS) * 1_000_000n;
    try {
      return await check();
    } catch (error) {
      if (isLast) throw error;
    }
    await sleep(5);
  }
}
