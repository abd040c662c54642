import { timingSafeEqual } from 'node:crypto';
import { genSaltSync } from 'bcryptjs';
import { DoorwardError } from '../core/index.ts';
import type { BcryptJob } from './bcrypt-job.ts';
import type { FairPool } from './fair-pool.ts';
import type { PasswordHasher, PasswordVerdict } from './hasher.ts';
import { formatStoredHash, parseStoredHash, preparePassword, type StoredHash } from './password-scheme.ts';

const SALT_LENGTH = 29;

/** The rules of {@link PasswordHasher} over whatever evaluates bcrypt: every `verify` costs one evaluation. */
export function hasherOver(pool: FairPool<BcryptJob, string>, cost: number): PasswordHasher {
  /** Well-formed, so that it costs what a real one costs; nothing ever matches it. */
  const dummy: StoredHash = { scheme: 'plain', bcrypt: `$2b$${String(cost).padStart(2, '0')}$${'.'.repeat(53)}` };

  async function hash(password: string): Promise<string> {
    const { scheme, secret } = preparePassword(password);
    if (scheme === undefined)
      throw new DoorwardError('INPUT_INVALID', { field: 'password', problem: 'cannot be hashed' });
    return formatStoredHash({ scheme, bcrypt: await pool.run({ secret, salt: genSaltSync(cost) }) });
  }

  async function verify(password: string, stored: string | undefined): Promise<PasswordVerdict> {
    const known = stored === undefined ? undefined : parseStoredHash(stored);
    const { scheme, secret } = preparePassword(password);
    const { bcrypt } = known ?? dummy;
    const actual = await pool.run({ secret, salt: bcrypt.slice(0, SALT_LENGTH) });
    if (known === undefined) return stored === undefined ? 'mismatch' : 'corrupt';
    return scheme === known.scheme && isEqual(actual, bcrypt) ? 'match' : 'mismatch';
  }

  return { hash, verify, close: pool.close };
}

function isEqual(actual: string, expected: string): boolean {
  const [a, b] = [Buffer.from(actual), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
