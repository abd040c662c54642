import { describe, expect, it } from 'vitest';
import { argon2Algorithm } from '../../src/argon2/argon2-algorithm.ts';
import { type Argon2Job, runArgon2Job } from '../../src/argon2/argon2-job.ts';
import { hasherOver } from '../../src/passwords/hasher-over.ts';
import { type Pepper, readPeppers } from '../../src/passwords/pepper.ts';

const cost = { memoryKiB: 16, passes: 1, parallelism: 1 };
const pepper: Pepper = { id: 'k1', secret: 'eGlBsE4HOZM9sC0pJPGv6mWzq3Wn1dKf' };

/** A hasher that notes every evaluation of Argon2id: what an attacker would time. */
function countingHasher(peppers: readonly Pepper[] = []) {
  const jobs: Argon2Job[] = [];
  const run = (job: Argon2Job): Promise<Buffer> => {
    jobs.push(job);
    return runArgon2Job(job);
  };
  return { jobs, hasher: hasherOver(argon2Algorithm(cost, run), readPeppers(peppers), async () => {}) };
}

describe.each([
  ['without', []],
  ['with', [pepper]],
])('the work of a login %s a pepper', async (_, peppers) => {
  const stored = await countingHasher(peppers).hasher.hash('correct horse');

  it.each([
    ['the right password', 'correct horse', stored],
    ['a wrong password', 'wrong horse', stored],
    ['an unknown account', 'correct horse', undefined],
    ['a password that is too long', 'p'.repeat(1_025), stored],
    ['DOS-03 a password of 1 MB', 'p'.repeat(1_000_000), stored],
    ['a password with NUL', 'correct horse\0', stored],
    ['a password with NUL for an unknown account', 'correct horse\0', undefined],
    ['a malformed stored hash', 'correct horse', 'no hash'],
    ['a stored hash of 4 TiB', 'correct horse', stored.replace('m=16', 'm=4294967295')],
    ['Argon2i', 'correct horse', stored.replace('argon2id', 'argon2i')],
    ['a hash under an unknown pepper', 'correct horse', `$dw2$gone${stored.slice(stored.indexOf('$argon2id'))}`],
  ])(
    'TIM-04 LOG-15 %s costs one evaluation of the configured cost, on at most 4,096 bytes',
    async (_name, password, hash) => {
      const { jobs, hasher } = countingHasher(peppers);
      await hasher.verify(password, hash);
      expect(jobs).toHaveLength(1);
      expect(jobs[0]).toMatchObject({ ...cost, digestLength: 32 });
      expect(jobs[0]?.salt).toHaveLength(16);
      expect(Buffer.byteLength(jobs[0]?.secret ?? '')).toBeLessThanOrEqual(4_096);
    },
  );
});
