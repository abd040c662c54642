import { parentPort } from 'node:worker_threads';
import { type BcryptJob, runBcryptJob } from './bcrypt-job.ts';

// A rejection ends the worker, and its job with it; the lane reports that.
parentPort?.on('message', (job: BcryptJob) => {
  void runBcryptJob(job).then((text) => parentPort?.postMessage(text));
});
