// Loads every entry point of the built package in both formats, and checks what a build can get wrong.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const { exports } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

for (const [subpath, formats] of Object.entries(exports)) {
  if (typeof formats === 'string') continue;
  const name = `doorward${subpath.slice(1)}`;
  for (const format of Object.values(formats)) {
    for (const file of Object.values(format)) {
      assert.ok(existsSync(new URL(`../${file}`, import.meta.url)), `${file} was not built`);
      if (file.endsWith('.ts') || file.endsWith('.cts')) {
        const types = readFileSync(new URL(`../${file}`, import.meta.url), 'utf8');
        assert.match(types, /reference types="node"/, `${file} has lost the reference to the types of Node`);
      }
    }
  }
  const [esm, cjs] = [await import(name), require(name)];
  assert.deepEqual(
    Object.keys(esm).sort(),
    Object.keys(cjs).sort(),
    `${name}: ESM and CommonJS export different names`,
  );
}
const { DoorwardError } = await import('doorward');
const copy = require('doorward');
assert.ok(
  copy.isDoorwardError(new DoorwardError('INTERNAL')),
  'an error of the ESM copy is not known to the CommonJS copy',
);
console.log('dist loads in both formats');
