import type { Lane } from './lane.ts';

/** Makes a lane of a function of this thread; lanes made by one opener take turns, one job at a time. */
export function mainThreadLanes<Job, Result>(work: (job: Job) => Promise<Result>): () => Lane<Job, Result> {
  let last: Promise<unknown> = Promise.resolve();
  return () => ({
    execute(job) {
      const result = last.then(() => work(job));
      last = result.catch(() => undefined);
      return result;
    },
    broken: () => false,
    end: () => Promise.resolve(),
  });
}
