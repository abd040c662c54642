// Bundles the bcrypt worker, bcryptjs included, into a string: the one form of worker that starts from
// ESM, from CommonJS and from inside any bundle. `--check` only compares; npm run generate:worker writes.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const target = `${root}src/passwords/bcrypt-worker.generated.ts`;

const [bundle] = buildSync({
  absWorkingDir: root,
  entryPoints: ['src/passwords/bcrypt-worker.ts'],
  bundle: true,
  minify: true,
  platform: 'node',
  format: 'cjs',
  target: 'node20',
  legalComments: 'none',
  write: false,
}).outputFiles;

const source = `// Written by .ci/generate-bcrypt-worker.mjs from bcrypt-worker.ts. Contains bcryptjs (BSD-3-Clause, see THIRD-PARTY-LICENSES).
export const bcryptWorkerSource: string = ${JSON.stringify(bundle.text)};
`;

if (process.argv.includes('--check')) {
  if (readFileSync(target, 'utf8') !== source) {
    console.error('bcrypt-worker.generated.ts is stale: npm run generate:worker');
    process.exitCode = 1;
  }
} else {
  writeFileSync(target, source);
}
