import { describe, expect, it } from 'vitest';
import { createFairPool } from '../../src/passwords/fair-pool.ts';
import { openWorkerLane } from '../../src/passwords/worker-lane.ts';

/** A worker that answers with its thread's id and the job, and dies or fails when it is told to. */
const source = `
  const { parentPort, threadId } = require('node:worker_threads');
  parentPort.on('message', (job) => {
    if (job === 'die') process.exit(1);
    if (job === 'throw') throw new Error('told to');
    parentPort.postMessage(threadId + ':' + job);
    if (job === 'die afterwards') process.exit(1);
  });
`;

function pool(lanes: number, queueLimit = 100) {
  let opened = 0;
  const made = createFairPool<string, string>({
    lanes,
    queueLimit,
    openLane: () => {
      opened += 1;
      return openWorkerLane(source);
    },
  });
  return { ...made, opened: () => opened };
}

describe('fair pool of workers', () => {
  it('serves in the order of arrival', async () => {
    const { run, close } = pool(1);
    const order: string[] = [];
    const jobs = Array.from({ length: 20 }, (_, index) => String(index));
    await Promise.all(jobs.map(async (job) => order.push((await run(job)).split(':')[1] ?? '')));
    expect(order).toEqual(jobs);
    await close();
  });

  it('a call made as a worker comes free does not overtake the one that waits', async () => {
    const { run, close } = pool(1);
    const order: string[] = [];
    const first = run('first').then(() => run('late').then(() => order.push('late')));
    const waiting = run('waiting').then(() => order.push('waiting'));
    await Promise.all([first, waiting]);
    expect(order).toEqual(['waiting', 'late']);
    await close();
  });

  it('starts no worker before it is needed, and no more than it may', async () => {
    const { run, close, opened } = pool(2);
    expect(opened()).toBe(0);
    await run('one');
    await run('two');
    expect(opened()).toBe(1);
    await Promise.all(['a', 'b', 'c', 'd'].map(run));
    expect(opened()).toBe(2);
    await close();
  });

  it.each(['die', 'throw'])('a worker told to %s rejects its own job only, and is replaced', async (fatal) => {
    const { run, close, opened } = pool(1);
    const settled = await Promise.allSettled([run('before'), run(fatal), run('after'), run('later')]);
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
    expect(settled[1]).toMatchObject({ reason: { code: 'SERVICE_UNAVAILABLE', cause: expect.any(Error) } });
    expect(opened()).toBe(2);
    await close();
  });

  it('a lane that broke while idle is not given a job', async () => {
    let opened = 0;
    let broken = false;
    const { run, close } = createFairPool<string, string>({
      lanes: 1,
      queueLimit: 1,
      openLane: () => {
        opened += 1;
        const name = opened;
        return {
          execute: async (job) => `${name}:${job}`,
          broken: () => broken && name === 1,
          end: async () => {},
        };
      },
    });
    expect(await run('one')).toBe('1:one');
    broken = true;
    expect(await run('two')).toBe('2:two');
    await close();
  });

  it('a worker that has ended says that it is broken, and rejects what it is given all the same', async () => {
    const lane = openWorkerLane<string, string>(source);
    expect(lane.broken()).toBe(false);
    await lane.execute('die afterwards');
    await expect.poll(() => lane.broken()).toBe(true);
    await expect(lane.execute('next')).rejects.toThrow('the worker has ended');
  });

  it('a worker that cannot be started rejects the job and leaves the pool usable', async () => {
    let failing = true;
    const { run, close } = createFairPool<string, string>({
      lanes: 1,
      queueLimit: 1,
      openLane: () => {
        if (failing) throw new Error('no more threads');
        return openWorkerLane(source);
      },
    });
    await expect(run('one')).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    failing = false;
    expect(await run('two')).toMatch(/:two$/);
    await close();
  });
});
