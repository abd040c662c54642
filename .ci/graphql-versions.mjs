// Runs the tests that touch graphql with other versions of it than the one that is installed, each in a copy of
// the working tree. A test whose host does not take a version is left out, and said to be: the range is that of
// the host's own package.json.
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const semver = createRequire(import.meta.url)('semver');
const run = (command, args, cwd) => execFileSync(command, args, { cwd, encoding: 'utf8', maxBuffer: 2 ** 28 });

/** Versions of graphql, each with the majors of Node it is run on; `undefined` is the Node of this process. */
const MATRIX = [
  { graphql: '16.9.0', nodes: [undefined] },
  { graphql: '17.1.0', nodes: ['22', '24'] },
];
const FUZZ = 'test/graphql/differential.fuzz.test.ts';
const SUITES = /^test\/(graphql\/|hosts\/|use\/(graphql|ws-auth|sse)|security\/graphql).*(?<!\.fuzz)\.test\.ts$/;

const files = run('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], root).split('\0');
const tests = files.filter((file) => SUITES.test(file) && existsSync(join(root, file)));
const [only] = process.argv.slice(2);
const failed = [];

for (const { graphql, nodes } of MATRIX) {
  if (only !== undefined && only !== graphql) continue;
  const copy = mkdtempSync(join(tmpdir(), `doorward-graphql-${graphql}-`));
  try {
    copyTree(copy);
    install(copy, graphql);
    const chosen = tests.filter((test) => takes(copy, test, graphql));
    for (const node of nodes) {
      const name = `graphql ${graphql} on Node ${node ?? process.versions.node}`;
      console.log(`--- ${name}: ${chosen.length} of ${tests.length} test files`);
      if (chosen.length === 0 || !passes(copy, node, ['unit', ...chosen])) failed.push(name);
    }
    console.log(`--- graphql ${graphql}: random documents`);
    if (!passes(copy, nodes.at(-1), ['fuzz', FUZZ])) failed.push(`graphql ${graphql}, random documents`);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}
if (failed.length > 0) {
  console.error(`*** FAILED: ${failed.join(', ')}`);
  process.exit(1);
}

function passes(copy, node, [project, ...files]) {
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--project', project, ...files];
  const [command, args] =
    node === undefined ? [process.execPath, vitest] : ['npx', ['-y', '-p', `node@${node}`, '--', 'node', ...vitest]];
  return spawnSync(command, args, { cwd: copy, stdio: 'inherit' }).status === 0;
}

/** What is tracked and what will be, with the installed packages: as links where the file system has them. */
function copyTree(copy) {
  for (const file of files) {
    if (file === '' || !existsSync(join(root, file))) continue;
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    cpSync(join(root, file), join(copy, file));
  }
  const [from, to] = [join(root, 'node_modules'), join(copy, 'node_modules')];
  if (spawnSync('cp', ['-al', from, to]).status !== 0) {
    rmSync(to, { recursive: true, force: true });
    run('cp', ['-a', from, to]);
  }
  // What tools write in place would be written into the tree that this is a copy of.
  for (const cache of ['.cache', '.vite', '.vitest']) rmSync(join(to, cache), { recursive: true, force: true });
}

function install(copy, graphql) {
  // The one package is unpacked anew: npm would also move whatever else it thinks is out of place.
  const [{ filename }] = JSON.parse(run('npm', ['pack', '--json', `graphql@${graphql}`], copy));
  const folder = join(copy, 'node_modules', 'graphql');
  rmSync(folder, { recursive: true });
  mkdirSync(folder);
  run('tar', ['-xzf', filename, '-C', folder, '--strip-components=1'], copy);
  const copies = run('find', ['node_modules', '-path', '*/node_modules/graphql/package.json'], copy).trim();
  const installed = manifest(copy, 'graphql')?.version;
  if (copies !== '' || installed !== graphql) throw new Error(`graphql ${installed} is installed, and also: ${copies}`);
}

/** Whether every package that a test loads takes this version, and what these packages want beside them does. */
function takes(copy, test, graphql) {
  const names = packagesOf(copy, test);
  for (const name of names) {
    const { peerDependencies = {}, peerDependenciesMeta = {} } = manifest(copy, name) ?? {};
    for (const peer of Object.keys(peerDependencies)) {
      if (peerDependenciesMeta[peer]?.optional !== true) names.add(peer);
    }
    const range = peerDependencies.graphql;
    if (range === undefined || semver.satisfies(graphql, range)) continue;
    console.log(`${test} is not run with graphql ${graphql}: ${name} takes ${range}`);
    return false;
  }
  return true;
}

/** The packages that a file and the files beside it import, other than as types. */
function packagesOf(copy, file, seen = new Set(), packages = new Set()) {
  if (seen.has(file)) return packages;
  seen.add(file);
  const text = readFileSync(join(copy, file), 'utf8');
  for (const [, name] of text.matchAll(/^(?:import|export)(?! type\b)[^;]*?'([^']+)';$/gm)) {
    if (name.startsWith('.')) packagesOf(copy, join(dirname(file), name), seen, packages);
    else if (!isBuiltin(name) && !name.startsWith('doorward')) {
      packages.add(name.split('/', name.startsWith('@') ? 2 : 1).join('/'));
    }
  }
  return packages;
}

function manifest(copy, name) {
  const file = resolve(copy, 'node_modules', name, 'package.json');
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
}
