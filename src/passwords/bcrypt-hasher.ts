import { availableParallelism } from 'node:os';
import { refuseUnknownOptions, requireWholeNumber } from '../core/config-invalid.ts';
import { bcryptAlgorithm, MAX_COST, MIN_COST } from './bcrypt-algorithm.ts';
import { type BcryptJob, runBcryptJob } from './bcrypt-job.ts';
import { bcryptWorkerSource } from './bcrypt-worker.generated.ts';
import { createFairPool } from './fair-pool.ts';
import type { PasswordHasher } from './hasher.ts';
import { hasherOver } from './hasher-over.ts';
import type { Lane } from './lane.ts';
import { mainThreadLanes } from './main-thread-lane.ts';
import { type Pepper, readPeppers } from './pepper.ts';
import { openWorkerLane } from './worker-lane.ts';

export interface BcryptHasherOptions {
  /** Binary logarithm of the number of rounds, 4 to 14; below 10 is for tests only. @default 12 */
  readonly cost?: number;
  /** Threads that hash. They start when they are first needed. @default os.availableParallelism() */
  readonly workers?: number;
  /** Calls that may wait for a thread; one more is refused at once. @default 64 */
  readonly queueLimit?: number;
  /**
   * The first one is mixed into every new hash, whatever the length of the password; the others are for
   * checking older hashes. @default none
   */
  readonly peppers?: readonly Pepper[];
}

/**
 * Makes a hasher that evaluates bcrypt in worker threads, so that the event loop stays free. A
 * password of up to 72 UTF-8 bytes becomes a plain `$2b$` hash that every bcrypt can check; a longer
 * one is hashed with SHA-384 first and stored under the prefix `$dw1`. With a pepper every password is hashed
 * with HMAC-SHA-384 first and stored under `$dw2$` and the pepper's id. Nothing is ever cut.
 *
 * Under `node --permission` without `--allow-worker` it hashes on the main thread, one password at a
 * time, and says so in one process warning.
 *
 * @throws `CONFIG_INVALID` when an option is unknown or out of range, or a pepper is weak; the calls of the hasher throw
 * `SERVICE_BUSY` with `retryAfterSeconds: 1` when the queue is full, and `SERVICE_UNAVAILABLE` when a
 * worker breaks down or the hasher is closed.
 * @example
 * const hasher = createBcryptHasher();
 * const stored = await hasher.hash('correct horse battery staple');
 * await hasher.verify('correct horse battery staple', stored); // 'match'
 * await hasher.close();
 */
export function createBcryptHasher(options: BcryptHasherOptions = {}): PasswordHasher {
  refuseUnknownOptions(options, ['cost', 'workers', 'queueLimit', 'peppers']);
  const { cost = 12, workers = availableParallelism(), queueLimit = 64 } = options;
  requireWholeNumber('cost', cost, MIN_COST, MAX_COST);
  requireWholeNumber('workers', workers, 1, 1_024);
  requireWholeNumber('queueLimit', queueLimit, 1, 1_000_000);
  const secrets = readPeppers('peppers' in options ? options.peppers : []);
  const pool = createFairPool({ openLane: bcryptLanes(), lanes: workers, queueLimit });
  return hasherOver(bcryptAlgorithm(cost, pool.run), secrets, pool.close);
}

function bcryptLanes(): () => Lane<BcryptJob, string> {
  const openMainThreadLane = mainThreadLanes(runBcryptJob);
  let workersDenied = false;
  return () => {
    if (workersDenied) return openMainThreadLane();
    try {
      return openWorkerLane(bcryptWorkerSource);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ERR_ACCESS_DENIED')) throw error;
      workersDenied = true;
      process.emitWarning('worker threads are not permitted: passwords are hashed on the main thread', {
        code: 'DOORWARD_HASHING_ON_MAIN_THREAD',
      });
      return openMainThreadLane();
    }
  };
}
