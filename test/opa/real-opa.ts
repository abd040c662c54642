import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { accessSync, constants, readdirSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';

const FIXTURES = 'test/fixtures/opa';

/** The OPA binary: `OPA_BIN`, or `opa` on the `PATH`, or where `go install` puts it. Without one these tests fail. */
export function opaBinary(): string {
  const folders = [...(process.env.PATH ?? '').split(delimiter), join(homedir(), 'go', 'bin')];
  const candidates =
    process.env.OPA_BIN === undefined ? folders.map((folder) => join(folder, 'opa')) : [process.env.OPA_BIN];
  const found = candidates.find(isExecutable);
  if (found === undefined) {
    throw new Error(
      'No OPA binary. Install one (go install github.com/open-policy-agent/opa@v1.22.0) and put it on the PATH, or set OPA_BIN.',
    );
  }
  return found;
}

/** The policies that every server of these tests starts with. */
export function regoFiles(): readonly string[] {
  return readdirSync(FIXTURES)
    .filter((name) => name.endsWith('.rego'))
    .map((name) => join(FIXTURES, name));
}

/** Checks policies as strictly as OPA can, and that OPA would format them as they are; says what it finds. */
export function checkPolicies(...paths: readonly string[]): string {
  const checked = paths.length === 0 ? regoFiles() : paths;
  return run('check', '--strict', ...checked) + run('fmt', '--list', ...checked);
}

export function opaVersion(): string {
  return /^Version: (\S+)/.exec(run('version'))?.[1] ?? '';
}

function run(...args: readonly string[]): string {
  const { stdout, stderr } = spawnSync(opaBinary(), args, { encoding: 'utf8' });
  return stdout + stderr;
}

export interface RealOpa {
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts an OPA server with the policies, and waits until it is ready. */
export function startOpa(...flags: readonly string[]): Promise<RealOpa> {
  return runOpa('http', [...flags, ...regoFiles()], async (url) => (await fetch(`${url}/health`)).ok);
}

/** Starts an OPA server with nothing but what is given, and waits until it is ready. */
export async function runOpa(
  scheme: 'http' | 'https',
  given: readonly string[],
  isReady: (url: string) => Promise<boolean>,
): Promise<RealOpa> {
  const port = await freePort();
  const url = `${scheme}://127.0.0.1:${port}`;
  const args = ['run', '--server', '--addr', `127.0.0.1:${port}`, '--log-level', 'error', ...given];
  const child = spawn(opaBinary(), args, { stdio: 'ignore' });
  await ready(() => isReady(url), child);
  return {
    url,
    stop: () =>
      new Promise((resolve) => {
        child.once('exit', () => resolve());
        child.kill();
      }),
  };
}

async function ready(isReady: () => Promise<boolean>, child: ChildProcess): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt++) {
    if (child.exitCode !== null) throw new Error(`OPA ended with ${child.exitCode}`);
    if (await isReady().catch(() => false)) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  child.kill();
  throw new Error('OPA did not start');
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
