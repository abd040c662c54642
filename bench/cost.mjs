import { performance } from 'node:perf_hooks';

/** Repeats `operation` for at least `forMs`; once even when it takes longer. */
async function repeat(operation, forMs) {
  const until = performance.now() + forMs;
  let operations = 0;
  do {
    const result = operation();
    if (typeof result?.then === 'function') await result;
    operations++;
  } while (performance.now() < until);
  return operations;
}

/**
 * Wall and CPU time of one operation after a warm-up. CPU counts the whole process,
 * garbage collection and compiler threads included.
 */
export async function measureCost(operation, { warmUpMs, measureMs }) {
  await repeat(operation, warmUpMs);
  const wallBefore = performance.now();
  const cpuBefore = process.cpuUsage();
  const operations = await repeat(operation, measureMs);
  const { user, system } = process.cpuUsage(cpuBefore);
  return {
    cpuMs: (user + system) / 1_000 / operations,
    wallMs: (performance.now() - wallBefore) / operations,
  };
}
