import { createRequire } from 'node:module';
import { sep } from 'node:path';

const { cache } = createRequire(import.meta.url);

/**
 * The folder from which this process has loaded a package. Two copies would be compared as if they were one.
 * Sees packages whose entry is CommonJS, as graphql 16 is for `import` and `require` alike.
 */
export function onlyCopyOf(name) {
  const folder = `${sep}node_modules${sep}${name}${sep}`;
  const copies = new Set();
  for (const file of Object.keys(cache)) {
    const at = file.lastIndexOf(folder);
    if (at !== -1) copies.add(file.slice(0, at + folder.length));
  }
  if (copies.size !== 1) throw new Error(`expected one copy of ${name}, loaded ${[...copies].join(', ') || 'none'}`);
  return [...copies][0];
}
