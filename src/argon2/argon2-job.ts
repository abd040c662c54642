import { hashRaw } from '@node-rs/argon2';
import type { Argon2Hash } from './phc-string.ts';

/** One evaluation of Argon2id: the only expensive thing that this folder does. */
export interface Argon2Job extends Omit<Argon2Hash, 'digest'> {
  readonly secret: string;
  /** In bytes. */
  readonly digestLength: number;
}

/** `Algorithm.Argon2id` and `Version.V0x13`, which are declared as constants that erasing types cannot read. */
const ARGON2ID = 2;
const VERSION_19 = 1;

/** Evaluates Argon2id in a thread of libuv's pool. @returns the digest. */
export function runArgon2Job(job: Argon2Job): Promise<Buffer> {
  return hashRaw(job.secret, {
    algorithm: ARGON2ID,
    version: VERSION_19,
    memoryCost: job.memoryKiB,
    timeCost: job.passes,
    parallelism: job.parallelism,
    outputLen: job.digestLength,
    salt: job.salt,
  });
}
