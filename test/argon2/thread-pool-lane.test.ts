import { expect, it } from 'vitest';
import { threadPoolLane } from '../../src/argon2/thread-pool-lane.ts';
import { createFairPool } from '../../src/passwords/fair-pool.ts';

it('DOS-02 work that throws at once rejects its own job only, and takes no lane along', async () => {
  const work = (job: string): Promise<string> => {
    if (job === 'throw') throw new TypeError('an argument that cannot be read');
    return Promise.resolve(job);
  };
  const { run, close } = createFairPool({ openLane: () => threadPoolLane(work), lanes: 1, queueLimit: 9 });
  // The second of them waits: its error must reach it and nobody else.
  const outcomes = await Promise.allSettled(['throw', 'throw', 'good'].map(run));
  expect(outcomes).toMatchObject([
    { status: 'rejected', reason: { code: 'SERVICE_UNAVAILABLE' } },
    { status: 'rejected', reason: { code: 'SERVICE_UNAVAILABLE' } },
    { status: 'fulfilled', value: 'good' },
  ]);
  await close();
});
