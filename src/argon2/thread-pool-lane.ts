import type { Lane } from '../passwords/lane.ts';

/**
 * A lane over a function that works in threads that are not ours. An evaluation that has begun cannot be
 * stopped, so `end` waits for it.
 */
export function threadPoolLane<Job, Result>(work: (job: Job) => Promise<Result>): Lane<Job, Result> {
  let current: Promise<unknown> = Promise.resolve();
  return {
    execute(job) {
      // A native function throws at once over an argument that it cannot read; that is a rejection, too.
      const result = new Promise<Result>((resolve) => resolve(work(job)));
      current = result.catch(() => undefined);
      return result;
    },
    broken: () => false,
    async end() {
      await current;
    },
  };
}
