import { availableParallelism } from 'node:os';
import { configInvalid, refuseUnknownOptions, requireWholeNumber } from '../core/config-invalid.ts';
import { createFairPool } from '../passwords/fair-pool.ts';
import { hasherOver } from '../passwords/hasher-over.ts';
import type { PasswordHasher, Pepper } from '../passwords/index.ts';
import { readPeppers } from '../passwords/pepper.ts';
import { argon2Algorithm } from './argon2-algorithm.ts';
import { runArgon2Job } from './argon2-job.ts';
import { costProblem, MAX_MEMORY_KIB, MAX_PARALLELISM, MAX_PASSES, MIN_KIB_PER_LANE } from './phc-string.ts';
import { threadPoolLane } from './thread-pool-lane.ts';

export interface Argon2HasherOptions {
  /**
   * Memory of one evaluation in KiB, 8 to 262,144, and at most 1,048,576 times `passes`; below 7,168 is for
   * tests only. @default 19456
   */
  readonly memoryKiB?: number;
  /** How often the memory is filled, 1 to 10. @default 2 */
  readonly passes?: number;
  /** Lanes of one evaluation, 1 to 16. @default 1 */
  readonly parallelism?: number;
  /**
   * Evaluations at a time. They run in the threads of libuv, four by default, which files and name lookups
   * need too. @default os.availableParallelism(), at most 3
   */
  readonly concurrency?: number;
  /** Calls that may wait; one more is refused at once. @default 64 */
  readonly queueLimit?: number;
  /** The first one is mixed into every new hash; the others are for checking older hashes. @default none */
  readonly peppers?: readonly Pepper[];
}

/** One thread of libuv's four stays free. */
const MAX_DEFAULT_CONCURRENCY = 3;

/**
 * Makes a hasher of Argon2id (RFC 9106) by `@node-rs/argon2`, at the cost that OWASP asks for. It runs
 * in the threads of libuv, so that the event loop stays free. Hashes are in the PHC string format; with a
 * pepper the password is hashed with HMAC-SHA-384 first and the hash stored under `$dw2$` and the pepper's id.
 *
 * @throws `CONFIG_INVALID` when an option is unknown or out of range, or a pepper is weak; the calls of the
 * hasher throw `SERVICE_BUSY` with `retryAfterSeconds: 1` when the queue is full, and `SERVICE_UNAVAILABLE`
 * when an evaluation fails or the hasher is closed.
 * @example
 * const hasher = createArgon2Hasher();
 * const stored = await hasher.hash('correct horse battery staple');
 * await hasher.verify('correct horse battery staple', stored); // 'match'
 * await hasher.close();
 */
export function createArgon2Hasher(options: Argon2HasherOptions = {}): PasswordHasher {
  refuseUnknownOptions(options, ['memoryKiB', 'passes', 'parallelism', 'concurrency', 'queueLimit', 'peppers']);
  const { memoryKiB = 19_456, passes = 2, parallelism = 1, queueLimit = 64 } = options;
  const { concurrency = Math.min(availableParallelism(), MAX_DEFAULT_CONCURRENCY) } = options;
  requireWholeNumber('memoryKiB', memoryKiB, MIN_KIB_PER_LANE, MAX_MEMORY_KIB);
  requireWholeNumber('passes', passes, 1, MAX_PASSES);
  requireWholeNumber('parallelism', parallelism, 1, MAX_PARALLELISM);
  requireWholeNumber('concurrency', concurrency, 1, 1_024);
  requireWholeNumber('queueLimit', queueLimit, 1, 1_000_000);
  const cost = { memoryKiB, passes, parallelism };
  const problem = costProblem(cost);
  if (problem !== undefined) throw configInvalid('memoryKiB', problem);
  const secrets = readPeppers('peppers' in options ? options.peppers : []);
  const pool = createFairPool({ openLane: () => threadPoolLane(runArgon2Job), lanes: concurrency, queueLimit });
  return hasherOver(argon2Algorithm(cost, pool.run), secrets, pool.close);
}
