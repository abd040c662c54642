import { Worker } from 'node:worker_threads';
import type { Lane } from './lane.ts';

/**
 * Starts a worker thread from source text and makes a lane of it. The thread keeps the process alive
 * only while a job waits for it.
 *
 * @throws what `new Worker` throws, for example `ERR_ACCESS_DENIED` under `node --permission`.
 */
export function openWorkerLane<Job, Result>(source: string): Lane<Job, Result> {
  // An inherited execArgv such as `--input-type=module` would be applied to the source and break it.
  const worker = new Worker(source, { eval: true, execArgv: [] });
  let current: { resolve(result: Result): void; reject(cause: unknown): void } | undefined;
  let failure: unknown;

  worker.on('message', (result: Result) => {
    const done = current;
    current = undefined;
    worker.unref();
    done?.resolve(result);
  });
  worker.on('error', (cause) => {
    failure = cause;
  });
  worker.on('exit', () => {
    failure ??= new Error('the worker has ended');
    current?.reject(failure);
    current = undefined;
  });
  worker.unref();

  return {
    execute: (job) =>
      new Promise((resolve, reject) => {
        if (failure !== undefined) return reject(failure);
        current = { resolve, reject };
        worker.ref();
        worker.postMessage(job);
      }),
    broken: () => failure !== undefined,
    async end() {
      await worker.terminate();
    },
  };
}
