import { describe, expect, it } from 'vitest';
import { bcryptAlgorithm } from '../../src/passwords/bcrypt-algorithm.ts';
import { type BcryptJob, runBcryptJob } from '../../src/passwords/bcrypt-job.ts';
import { hasherOver } from '../../src/passwords/hasher-over.ts';
import { type Pepper, readPeppers } from '../../src/passwords/pepper.ts';

/** A hasher on this thread that notes every evaluation of bcrypt: what an attacker would time. */
function countingHasher(cost: number, peppers: readonly Pepper[] = []) {
  const jobs: BcryptJob[] = [];
  const run = (job: BcryptJob): Promise<string> => {
    jobs.push(job);
    return runBcryptJob(job);
  };
  return { jobs, hasher: hasherOver(bcryptAlgorithm(cost, run), readPeppers(peppers), async () => {}) };
}

describe('the work of a login', async () => {
  const stored = await countingHasher(4).hasher.hash('correct horse');
  const malformed = '$2b$31$......................aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa';

  it.each([
    ['the right password', 'correct horse', stored],
    ['a wrong password', 'wrong horse', stored],
    ['an unknown account', 'correct horse', undefined],
    ['a password that is too long', 'p'.repeat(1_025), stored],
    ['DOS-03 a password of 1 MB', 'p'.repeat(1_000_000), stored],
    ['a password with NUL', 'correct horse\0', stored],
    ['a password with NUL for an unknown account', 'correct horse\0', undefined],
    ['a malformed stored hash', 'correct horse', 'no hash'],
    ['a stored hash of cost 31', 'correct horse', malformed],
  ])('TIM-04 %s costs one evaluation of the configured cost, on at most 72 bytes', async (_, password, hash) => {
    const { jobs, hasher } = countingHasher(4);
    await hasher.verify(password, hash);
    expect(jobs).toHaveLength(1);
    expect(jobs[0]?.salt).toMatch(/^\$2b\$04\$.{22}$/);
    expect(Buffer.byteLength(jobs[0]?.secret ?? '')).toBeLessThanOrEqual(72);
  });

  it('TIM-04 the dummy hash is evaluated in full: bcrypt answers with 60 characters', async () => {
    const { jobs, hasher } = countingHasher(5);
    await hasher.verify('guess', undefined);
    const [job] = jobs;
    expect(job?.salt.slice(0, 7)).toBe('$2b$05$');
    expect(job && (await runBcryptJob(job))).toHaveLength(60);
  });

  it('LOG-15 the text of a cost above 14 is never given to bcrypt', async () => {
    const { jobs, hasher } = countingHasher(4);
    expect(await hasher.verify('correct horse', malformed)).toBe('corrupt');
    expect(jobs.map(({ salt }) => salt.slice(0, 7))).toEqual(['$2b$04$']);
  });
});
