import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const pages = [
  'README.md',
  ...readdirSync('docs')
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];
const folder = join(process.cwd(), 'test', 'dist-snippets');

const snippets = pages.flatMap((page) =>
  [...readFileSync(page, 'utf8').matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map((match, index) => ({
    name: `${page} snippet ${index + 1}`,
    file: join(folder, `${page.replaceAll(/\W/g, '-')}-${index + 1}.ts`),
    source: match[1] ?? '',
  })),
);

describe('documentation', () => {
  beforeAll(() => {
    mkdirSync(folder, { recursive: true });
    for (const { file, source } of snippets) writeFileSync(file, source);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each(snippets)('$name runs as printed', async ({ file }) => {
    await import(/* @vite-ignore */ pathToFileURL(file).href);
  });

  it.each(pages)('%s links only to what exists', (page) => {
    const base = page.startsWith('docs/') ? 'docs' : '.';
    for (const [, target = ''] of readFileSync(page, 'utf8').matchAll(/\]\(([^)\s#]+)(?:#[^)]*)?\)/g)) {
      if (/^[a-z]+:/.test(target)) continue;
      expect(() => readFileSync(join(base, target)), `${page} -> ${target}`).not.toThrow('ENOENT');
    }
  });
});
