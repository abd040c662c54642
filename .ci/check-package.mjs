// Packs the package, installs the tarball into an empty folder and uses it there as a stranger would:
// a guarded server, ESM and CommonJS consumers under three compilers, and the root without graphql.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'doorward-package-'));
const run = (command, args, options = {}) =>
  execFileSync(command, args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'], ...options });

try {
  const [{ filename, files }] = JSON.parse(run('npm', ['pack', '--json', '--pack-destination', folder], { cwd: root }));
  for (const { path } of files) {
    assert.match(
      path,
      /^(dist\/|docs\/|LICENSE|THIRD-PARTY-LICENSES|[A-Z]+\.md|package\.json)/,
      `${path} must not be packed`,
    );
    assert.doesNotMatch(path, /\.env|\.pem|\.map$/, `${path} must not be packed`);
  }

  cpSync(join(root, 'test', 'consumers'), folder, { recursive: true });
  cpSync(join(folder, 'consumer.mts'), join(folder, 'consumer.cts'));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'consumer', private: true }));
  const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  run('npm', [
    'install',
    '--no-audit',
    '--no-fund',
    '--silent',
    `./${filename}`,
    ...['graphql', 'graphql-http', 'graphql-ws', 'ws', '@types/ws'].map((name) => `${name}@${devDependencies[name]}`),
  ]);

  await guardedServer();
  console.log('a guarded server runs from the tarball');

  const compilers = { '5.9.3': 'typescript59', '6.0.3': 'typescript60', '7.0.2': 'typescript70' };
  run('npm', [
    'install',
    '--no-audit',
    '--no-fund',
    '--silent',
    `@types/node@${devDependencies['@types/node']}`,
    ...Object.entries(compilers).map(([version, name]) => `${name}@npm:typescript@${version}`),
  ]);
  for (const [version, name] of Object.entries(compilers)) {
    const { bin } = JSON.parse(readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8'));
    const tsc = join(folder, 'node_modules', name, bin.tsc);
    for (const module of ['node16', 'nodenext']) {
      try {
        run(process.execPath, [
          tsc,
          '--noEmit',
          '--strict',
          '--module',
          module,
          '--target',
          'es2022',
          '--skipLibCheck',
          'false',
          '--types',
          'node',
          'consumer.mts',
          'consumer.cts',
        ]);
      } catch (error) {
        console.error(error.stdout);
        throw new Error(`the consumers do not compile under TypeScript ${version}, module ${module}`);
      }
    }
    console.log(`ESM and CommonJS consumers compile under TypeScript ${version}`);
  }

  for (const name of readdirSync(join(folder, 'node_modules')).filter((entry) => entry.startsWith('graphql'))) {
    rmSync(join(folder, 'node_modules', name), { recursive: true });
  }
  const withoutGraphql =
    "import('doorward').then(() => import('doorward/tokens')).then(() => require('doorward')).then(() => console.log('ok'))";
  assert.equal(run(process.execPath, ['-e', withoutGraphql]).trim(), 'ok');
  console.log('the root loads with graphql not installed');
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Starts the 30-line server of test/consumers and sends it what it must allow and refuse. */
async function guardedServer() {
  const lines = readFileSync(join(folder, 'guarded-server.mjs'), 'utf8').trimEnd().split('\n').length;
  assert.ok(lines <= 30, `the guarded server has ${lines} lines`);
  const server = spawn(process.execPath, ['guarded-server.mjs'], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    let output = '';
    for await (const chunk of server.stdout) {
      output += chunk;
      if (output.includes('\n')) break;
    }
    const [url, token] = output.trim().split(' ');
    const ask = async (query, authorization) => {
      const headers = { 'content-type': 'application/json', ...(authorization && { authorization }) };
      const response = await fetch(`${url}/graphql`, { method: 'POST', headers, body: JSON.stringify({ query }) });
      return { status: response.status, body: await response.json() };
    };
    assert.deepEqual((await ask('{ hello }')).body, { data: { hello: 'world' } });
    assert.equal((await ask('{ secret }')).body.errors[0].extensions.code, 'UNAUTHENTICATED');
    assert.deepEqual((await ask('{ secret }', `Bearer ${token}`)).body, { data: { secret: 'for readers' } });
    assert.equal((await ask('{ vault }', `Bearer ${token}`)).body.errors[0].extensions.code, 'FORBIDDEN');
    assert.equal((await ask('{ hello }', 'Bearer forged')).status, 401);
  } finally {
    server.kill();
  }
}
