import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { readConfig } from '../../examples/server/config.ts';
import { bearer, DEMO_PASSWORD, SECRET } from './harness.ts';

const running: ChildProcess[] = [];
const folders: string[] = [];
afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL');
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

interface Run {
  readonly child: ChildProcess;
  readonly output: { out: string; err: string };
  readonly exit: Promise<number | null>;
  /** The address of the line that the server prints when it listens. */
  url(): Promise<string>;
}

/** Starts the built example as `npm start` does, with nothing of this environment but the path. */
function start(env: Record<string, string>): Run {
  const child = spawn(process.execPath, ['examples/server/dist/main.js'], {
    env: { PATH: process.env.PATH ?? '', PORT: '0', DATA_DIR: ':memory:', ...env },
  });
  running.push(child);
  const output = { out: '', err: '' };
  child.stdout?.on('data', (chunk: Buffer) => {
    output.out += chunk;
  });
  child.stderr?.on('data', (chunk: Buffer) => {
    output.err += chunk;
  });
  const exit = new Promise<number | null>((resolve) => child.on('exit', resolve));
  const url = async () => {
    for (let tries = 0; tries < 750; tries += 1) {
      const found = /listening on (http:\/\/\S+)/.exec(output.out)?.[1];
      if (found !== undefined) return found;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    throw new Error(`the server did not start: ${output.out}${output.err}`);
  };
  return { child, output, exit, url };
}

const folder = () => {
  const made = mkdtempSync(join(tmpdir(), 'doorward-'));
  folders.push(made);
  return made;
};
const login = (url: string, password: string) =>
  fetch(`${url}/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'admin', password }),
  });

describe('the example server as a process', () => {
  it('prints one line with its address, logs JSON lines with a request id, and stops cleanly on SIGTERM', async () => {
    const run = start({ DEMO_PASSWORD });
    const url = await run.url();
    const answer = await login(url, DEMO_PASSWORD);
    expect(answer.status).toBe(200);
    const { access_token } = (await answer.json()) as { access_token: string };
    expect((await fetch(`${url}/me?secret=in-the-query`, { headers: bearer(access_token) })).status).toBe(200);
    run.child.kill('SIGTERM');
    expect(await run.exit).toBe(0);

    const lines = run.output.out.trim().split('\n');
    expect(lines.filter((line) => line.includes('listening on'))).toHaveLength(1);
    const logged = lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line));
    const request = logged.find((line) => line.path === '/me');
    expect(request).toMatchObject({ method: 'GET', status: 200, requestId: expect.any(String) });
    expect(logged.some((line) => line.type === 'login.succeeded')).toBe(true);
    for (const secret of [DEMO_PASSWORD, access_token, 'in-the-query', '$2b$'])
      expect(run.output.out + run.output.err).not.toContain(secret);
  });

  it('keeps its data, its signing secret and its tokens across a restart, and prints demo passwords once', async () => {
    const DATA_DIR = folder();
    const first = start({ DATA_DIR });
    const url = await first.url();
    const password = /admin\s+(\S+)/.exec(first.output.out)?.[1] ?? '';
    const { access_token } = (await (await login(url, password)).json()) as { access_token: string };
    first.child.kill('SIGTERM');
    await first.exit;

    const second = start({ DATA_DIR });
    const again = await second.url();
    expect((await fetch(`${again}/me`, { headers: bearer(access_token) })).status).toBe(200);
    expect(second.output.out).not.toContain(password);
    second.child.kill('SIGTERM');
    await second.exit;
  });

  it('refuses a data folder that another server holds', async () => {
    const DATA_DIR = folder();
    await start({ DATA_DIR, DEMO_PASSWORD }).url();
    const second = start({ DATA_DIR, DEMO_PASSWORD });
    expect(await second.exit).not.toBe(0);
    expect(second.output.err).toContain('DATA_DIR');
  });

  it.each([
    ['no secret at all', {}],
    ['a short secret', { SIGNING_SECRET: 'too short' }],
    ['a guessable secret', { SIGNING_SECRET: 'a'.repeat(40) }],
    ['an empty secret', { SIGNING_SECRET: '' }],
  ])('in production refuses to start with %s, and does not print it', async (_, env: Record<string, string>) => {
    const run = start({ NODE_ENV: 'production', ...env });
    expect(await run.exit).not.toBe(0);
    expect(run.output.err).toContain('SIGNING_SECRET');
    if (env.SIGNING_SECRET) expect(run.output.out + run.output.err).not.toContain(env.SIGNING_SECRET);
  });

  it.each([
    ['PORT', { PORT: 'eighty' }],
    ['TIME_ZONE', { TIME_ZONE: 'Mars/Olympus' }],
    ['LOG_LEVEL', { LOG_LEVEL: 'loud' }],
    ['LOGIN_MAX_FAILURES', { LOGIN_MAX_FAILURES: '0' }],
    ['TRUSTED_PROXIES', { TRUSTED_PROXIES: 'everybody' }],
    ['OPA_URL', { OPA_URL: 'ftp://opa' }],
    ['SIGNING_KEY_FILE', { SIGNING_KEY_FILE: '/no/such/file' }],
  ])('refuses a bad %s by its name', (name, env: Record<string, string>) => {
    expect(() => readConfig({ DATA_DIR: ':memory:', ...env })).toThrow(name);
  });

  it('stops, with the name of the setting, when one is bad', async () => {
    const run = start({ PORT: 'eighty' });
    expect(await run.exit).not.toBe(0);
    expect(run.output.err).toContain('PORT');
  });

  it('in production has no demo accounts, no GraphiQL and no commonest passwords', async () => {
    const run = start({ NODE_ENV: 'production', SIGNING_SECRET: SECRET, DEMO_PASSWORD });
    const url = await run.url();
    expect((await login(url, DEMO_PASSWORD)).status).toBe(401);
    expect((await fetch(`${url}/graphiql`)).status).toBe(404);
    const register = (password: string) =>
      fetch(`${url}/register`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ username: 'someone', email: 's@example.org', password }),
      });
    expect((await register('password1')).status).toBe(400);
    expect((await register('an uncommon passphrase')).status).toBe(201);
  });
});
