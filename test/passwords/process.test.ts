import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'doorward-passwords-'));
const file = join(folder, 'login.mjs');

beforeAll(() => {
  buildSync({
    stdin: {
      contents: `
        import { createBcryptHasher } from './src/passwords/index.ts';
        const hasher = createBcryptHasher({ cost: 4, workers: 2 });
        const stored = await Promise.all(['one', 'two', 'three'].map((password) => hasher.hash(password)));
        console.log(await hasher.verify('one', stored[0]), await hasher.verify('one', stored[1]));
      `,
      resolveDir: process.cwd(),
      loader: 'ts',
    },
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile: file,
    logLevel: 'silent',
  });
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('the hasher in a process of its own', () => {
  it('lets the process end while its workers are idle, without close', () => {
    expect(execFileSync('node', [file], { encoding: 'utf8', timeout: 15_000 })).toBe('match mismatch\n');
  });

  it('starts its workers under node --input-type=module', () => {
    const script = `await import(${JSON.stringify(file)})`;
    const output = execFileSync('node', ['--input-type=module', '-e', script], { encoding: 'utf8', timeout: 15_000 });
    expect(output).toBe('match mismatch\n');
  });

  it('hashes on the main thread under node --permission, and warns once', () => {
    const flag = Number(process.versions.node.split('.')[0]) < 22 ? '--experimental-permission' : '--permission';
    const args = [flag, '--allow-fs-read=*', file];
    const { stdout, stderr } = spawnSync('node', args, { encoding: 'utf8', timeout: 15_000 });
    expect(stdout).toBe('match mismatch\n');
    expect(stderr.match(/DOORWARD_HASHING_ON_MAIN_THREAD/g)).toHaveLength(1);
  });
});
