import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const page = readFileSync('ARCHITECTURE.md', 'utf8');

it('ARCHITECTURE.md lists every source file in one line, and no file that is gone', () => {
  const tree = /^```text\nsrc\/core\/[\s\S]*?^```$/m.exec(page)?.[0] ?? '';
  let folder = '';
  const listed = tree.split('\n').flatMap((line) => {
    folder = /^(\S+)\/ /.exec(line)?.[1] ?? folder;
    const file = /^ {2}(\S+\.\w+) +\S/.exec(line)?.[1];
    return file === undefined ? [] : [`${folder}/${file}`];
  });
  const actual = ['src', 'examples'].flatMap((root) =>
    readdirSync(root, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(ts|mjs)$/.test(name) && !name.endsWith('index.ts') && !name.includes('dist'))
      .map((name) => `${root}/${name}`),
  );
  expect(listed.sort()).toEqual(actual.sort());
});

it('every folder of src is a subpath, a docs page and a test folder', () => {
  const { exports } = JSON.parse(readFileSync('package.json', 'utf8')) as { exports: Record<string, unknown> };
  const pages = readdirSync('docs');
  const tests = readdirSync('test');
  for (const folder of readdirSync('src')) {
    const subpath = folder === 'core' ? '.' : `./${folder}`;
    expect(
      Object.keys(exports).some((name) => name === subpath || name.startsWith(`${subpath}/`)),
      folder,
    ).toBe(true);
    expect(pages, folder).toContain(`${folder}.md`);
    expect(tests, folder).toContain(folder);
  }
});
