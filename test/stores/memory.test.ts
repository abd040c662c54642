import { execFileSync } from 'node:child_process';
import { createMemoryAccountStore, createMemoryRateLimitStore } from 'doorward/stores/memory';
import { buildSync } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { describeStores } from './conformance.ts';

describeStores('memory', async () => ({
  accounts: createMemoryAccountStore(),
  limits: createMemoryRateLimitStore(),
}));

describe('bounds of the memory rate limit store', () => {
  it('DOS-11 forgets the counters that were hit longest ago, and never the last half of maxKeys', async () => {
    const limits = createMemoryRateLimitStore({ maxKeys: 4 });
    const hitAll = async (...keys: string[]) => {
      const counts: number[] = [];
      for (const key of keys) counts.push((await limits.hit(key, 1_000, 0)).count);
      return counts;
    };
    expect(await hitAll('victim', 'a', 'victim', 'b', 'victim', 'c', 'victim', 'd', 'victim')).toEqual([
      1, 1, 2, 1, 3, 1, 4, 1, 5,
    ]);
    expect(await hitAll('a', 'b')).toEqual([1, 1]);
  });

  it('DOS-11 a million usernames within an hour fit into a heap of 48 MB', () => {
    const [bundle] = buildSync({
      stdin: {
        contents: `
          import { createMemoryRateLimitStore } from './src/stores/memory.ts';
          const limits = createMemoryRateLimitStore();
          for (let index = 0; index < 1_000_000; index += 1) await limits.hit('login:account:' + index, 3_600_000, index);
          console.log((await limits.hit('login:account:999999', 3_600_000, 1_000_000)).count);
        `,
        resolveDir: process.cwd(),
        loader: 'ts',
      },
      bundle: true,
      platform: 'node',
      format: 'esm',
      write: false,
    }).outputFiles;
    const args = ['--max-old-space-size=48', '--input-type=module', '-'];
    expect(execFileSync('node', args, { input: bundle?.text ?? '', encoding: 'utf8', stdio: 'pipe' })).toBe('2\n');
  });

  it.each([0, 1, -1, 2.5, Number.NaN, Number.POSITIVE_INFINITY])('refuses %d as maxKeys', (maxKeys) => {
    expect(() => createMemoryRateLimitStore({ maxKeys })).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', field: 'maxKeys' }),
    );
  });
});
