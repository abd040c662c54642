import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const folder = 'test/contract';
/** A row names a file of this folder, or `security/` and one of the suite beside it. */
const [index = ''] = readFileSync(`${folder}/README.md`, 'utf8').split('## What waits');
const rows = [...index.matchAll(/^\|.*\| ((?:security\/)?[a-z.-]+): (.+) \|$/gm)];

it('every test that the index names exists', () => {
  expect(rows).toHaveLength([...index.matchAll(/^\|(?!---| (?:line|attack) \| test \|)/gm)].length);
  const missing = rows.filter(([, file, name = '']) => {
    const path = file?.startsWith('security/') ? `test/${file}` : `${folder}/${file}`;
    const source = readFileSync(`${path}.test.ts`, 'utf8');
    const names = [...source.matchAll(/\(\s*(['`])((?:(?!\1)[^\\]|\\.)+)\1,/g)].map((match) => match[2] ?? '');
    const plain = (text: string) => text.replaceAll(/\$\{[^}]*\}|%[sij]/g, '%').replaceAll(/%( %)+/g, '%');
    return !names.some((found) => plain(found).startsWith(plain(name)));
  });
  expect(missing.map(([, file, name]) => `${file}: ${name}`)).toEqual([]);
});

it('every file of the suite is in the index', () => {
  const files = readdirSync(folder).flatMap((name) => /^(.+)\.test\.ts$/.exec(name)?.[1] ?? []);
  const indexed = new Set(rows.map(([, file]) => file));
  expect(files.filter((file) => file !== 'index' && !indexed.has(file))).toEqual([]);
});
