// Writes docs/policy.schema.json from src/abac/policy/policy-schema.ts, for editors. `--check` only compares.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const target = `${root}docs/policy.schema.json`;

const [bundle] = buildSync({
  absWorkingDir: root,
  entryPoints: ['src/abac/policy/policy-schema.ts'],
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  write: false,
}).outputFiles;

const module = await import(`data:text/javascript,${encodeURIComponent(bundle.text)}`);
const schema = module.schemaOfPolicies();

if (process.argv.includes('--check')) {
  if (JSON.stringify(JSON.parse(readFileSync(target, 'utf8'))) !== JSON.stringify(schema)) {
    console.error('docs/policy.schema.json is stale: node .ci/generate-policy-schema.mjs');
    process.exitCode = 1;
  }
} else {
  writeFileSync(target, JSON.stringify(schema, null, 2));
  execFileSync(`${root}node_modules/.bin/biome`, ['format', '--write', target], { stdio: 'inherit' });
}
