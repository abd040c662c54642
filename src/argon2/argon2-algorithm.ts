import { randomBytes } from 'node:crypto';
import type { PasswordAlgorithm } from '../passwords/algorithm.ts';
import type { Argon2Job } from './argon2-job.ts';
import { type Argon2Hash, formatPhc, parsePhc } from './phc-string.ts';

/** What new hashes cost. */
export type Argon2Cost = Pick<Argon2Hash, 'memoryKiB' | 'passes' | 'parallelism'>;

const SALT_BYTES = 16;
const DIGEST_BYTES = 32;

/** Argon2id (RFC 9106) at one configured cost, evaluated by `run`. */
export function argon2Algorithm(
  cost: Argon2Cost,
  run: (job: Argon2Job) => Promise<Buffer>,
): PasswordAlgorithm<Argon2Hash> {
  return {
    maxBytes: undefined,
    read: parsePhc,
    blank: () => ({ ...cost, salt: randomBytes(SALT_BYTES), digest: Buffer.alloc(DIGEST_BYTES) }),
    isWeaker({ memoryKiB, passes, salt, digest }) {
      const isShort = salt.length < SALT_BYTES || digest.length < DIGEST_BYTES;
      return isShort || memoryKiB < cost.memoryKiB || passes < cost.passes;
    },
    async evaluate(secret, { digest, ...parameters }) {
      const computed = await run({ ...parameters, secret, digestLength: digest.length });
      return formatPhc({ ...parameters, digest: computed });
    },
  };
}
