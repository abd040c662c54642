import { genSaltSync } from 'bcryptjs';
import type { PasswordAlgorithm } from './algorithm.ts';
import type { BcryptJob } from './bcrypt-job.ts';

const BCRYPT = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/;
/** Version, cost and salt; what follows is the digest. */
const SALT_LENGTH = 29;
const DIGEST_LENGTH = 31;
/** bcrypt ignores what follows. */
const MAX_BYTES = 72;
export const MIN_COST = 4;
/** Each step doubles the work: above this, one stored text could keep a worker busy for minutes. */
export const MAX_COST = 14;

/** bcrypt at one configured cost, evaluated by `run`. */
export function bcryptAlgorithm(cost: number, run: (job: BcryptJob) => Promise<string>): PasswordAlgorithm<string> {
  return {
    maxBytes: MAX_BYTES,
    read: (text) => (costOf(text) >= MIN_COST && costOf(text) <= MAX_COST ? text : undefined),
    blank: () => genSaltSync(cost) + '.'.repeat(DIGEST_LENGTH),
    isWeaker: (hash) => costOf(hash) < cost,
    evaluate: (secret, like) => run({ secret, salt: like.slice(0, SALT_LENGTH) }),
  };
}

/** `NaN` for what is no bcrypt hash. */
function costOf(hash: string): number {
  return Number(BCRYPT.exec(hash)?.[1]);
}
