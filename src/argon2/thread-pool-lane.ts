import type { Lane } from '../passwords/lane.ts';

/**
 * A lane over a function that works in threads that are not ours. An evaluation that has begun cannot be
 * stopped, so `end` waits for it.
 */
export function threadPoolLane<Job, Result>(work: (job: Job) => Promise<Result>): Lane<Job, Result> {
  let current: Promise<unknown> = Promise.resolve();
  return {
    execute(job) {
      const result = work(job);
      current = result.catch(() => undefined);
      return result;
    },
    broken: () => false,
    async end() {
      await current;
    },
  };
}
