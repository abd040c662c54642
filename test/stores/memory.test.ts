import { execFileSync } from 'node:child_process';
import { createMemoryCodeStore, createMemoryOnceStore, createMemoryRateLimitStore } from 'doorward/stores/memory';
import { buildSync } from 'esbuild';
import { describe, expect, it } from 'vitest';

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
  }, 60_000);

  it.each([0, 1, -1, 2.5, Number.NaN, Number.POSITIVE_INFINITY])('refuses %d as maxKeys', (maxKeys) => {
    expect(() => createMemoryRateLimitStore({ maxKeys })).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', field: 'maxKeys' }),
    );
  });
});

describe('bounds of the memory once store', () => {
  it('DOS-11 refuses when it is full, and forgets no key that is in force', async () => {
    const store = createMemoryOnceStore({ maxKeys: 3 });
    for (const key of ['a', 'b', 'c']) expect(await store.once(key, 1_000, 0)).toBe(true);
    for (const key of ['d', 'e', 'f']) {
      await expect(store.once(key, 1_000, 999)).rejects.toMatchObject({ code: 'SERVICE_BUSY', status: 503 });
    }
    for (const key of ['a', 'b', 'c']) expect(await store.once(key, 2_000, 999)).toBe(false);
    expect(await store.once('d', 2_000, 1_000)).toBe(true);
    expect(await store.once('a', 2_000, 1_000)).toBe(true);
  });

  it('DOS-11 has room for ever when keys expire as fast as they come', async () => {
    const store = createMemoryOnceStore({ maxKeys: 200 });
    for (let now = 0; now < 20_000; now += 1) expect(await store.once(`key-${now}`, now + 100, now)).toBe(true);
  });

  it('DOS-11 finds the room that short-lived keys left among long-lived ones', async () => {
    const store = createMemoryOnceStore({ maxKeys: 10_000 });
    for (let index = 0; index < 10_000; index += 1) {
      await store.once(`key-${index}`, index % 100 === 0 ? 10 : 1_000_000, 0);
    }
    let granted = 0;
    for (let index = 0; index < 1_000; index += 1) {
      granted += Number(await store.once(`late-${index}`, 1_000_000, 10).catch(() => false));
    }
    expect(granted).toBe(100);
  });

  it('DOS-11 a million keys within an hour fit into a heap of 48 MB', () => {
    const [bundle] = buildSync({
      stdin: {
        contents: `
          import { createMemoryOnceStore } from './src/stores/memory.ts';
          const store = createMemoryOnceStore();
          Error.stackTraceLimit = 0;
          let granted = 0;
          for (let index = 0; index < 1_000_000; index += 1) {
            granted += Number(await store.once('jti:' + index, 3_600_000, 0).catch(() => false));
          }
          console.log(granted);
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
    expect(execFileSync('node', args, { input: bundle?.text ?? '', encoding: 'utf8', stdio: 'pipe' })).toBe('100000\n');
  }, 60_000);

  it('refuses a key of more than 256 characters', async () => {
    const store = createMemoryOnceStore();
    await expect(store.once('k'.repeat(257), 1_000, 0)).rejects.toMatchObject({ code: 'INPUT_INVALID', field: 'key' });
  });

  it.each([0, -1, 2.5, Number.NaN, Number.POSITIVE_INFINITY])('refuses %d as maxKeys', (maxKeys) => {
    expect(() => createMemoryOnceStore({ maxKeys })).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', field: 'maxKeys' }),
    );
  });
});

describe('bounds of the memory code store', () => {
  const code = (expiresAt: number) => ({
    ...{ clientId: 'app', accountId: 'id-ada', redirectUri: 'https://app.example.org/cb', codeChallenge: 'challenge' },
    ...{ scopes: [], audience: [], authTime: 0, amr: [], acr: 'aal1', loginSessionId: 'login', issuedAt: 0, expiresAt },
  });

  it('DOS-11 refuses when it is full, and forgets neither a code in force nor one that was taken', async () => {
    const store = createMemoryCodeStore({ maxCodes: 3 });
    for (const hash of ['a', 'b', 'c']) await store.put(hash, code(1_000), 9_000, 0);
    expect(await store.take('a', 'session', 5, 999)).toEqual({ kind: 'taken' });
    for (const hash of ['d', 'e', 'f']) {
      await expect(store.put(hash, code(1_999), 9_000, 999)).rejects.toMatchObject({
        code: 'SERVICE_BUSY',
        status: 503,
      });
    }
    expect(await store.take('b', 'other', 5, 999)).toEqual({ kind: 'taken' });
    await store.put('d', code(8_999), 9_000, 1_000);
    for (const hash of ['e', 'f']) {
      await expect(store.put(hash, code(8_999), 9_000, 8_998)).rejects.toMatchObject({ code: 'SERVICE_BUSY' });
    }
    expect(await store.take('a', 'eve', 5, 8_999)).toEqual({ kind: 'replayed', sessionId: 'session' });
    for (const hash of ['e', 'f', 'g']) await store.put(hash, code(9_500), 9_900, 9_000);
  });

  it('DOS-11 has room for ever when codes end as fast as they come', async () => {
    const store = createMemoryCodeStore({ maxCodes: 300 });
    for (let now = 0; now < 20_000; now += 1) {
      await store.put(`code-${now}`, code(now + 60), now + 150, now);
      if (now % 2 === 0) expect(await store.take(`code-${now}`, 'session', 5, now)).toEqual({ kind: 'taken' });
    }
  });

  it('finds and gives nothing by a time that is no number', async () => {
    const store = createMemoryCodeStore();
    await store.put('a', code(1_000), 9_000, 0);
    expect(await store.find('a', Number.NaN)).toBeUndefined();
    expect(await store.take('a', 'session', 5, Number.NaN)).toEqual({ kind: 'gone' });
    expect(await store.take('a', 'session', 5, 0)).toEqual({ kind: 'taken' });
  });

  it.each([0, -1, 2.5, Number.NaN, Number.POSITIVE_INFINITY])('refuses %d as maxCodes', (maxCodes) => {
    expect(() => createMemoryCodeStore({ maxCodes })).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', field: 'maxCodes' }),
    );
  });
});
