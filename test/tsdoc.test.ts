import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

interface Example {
  readonly file: string;
  readonly code: string;
}

const sources = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !name.includes('.generated.'))
  .map((name) => join('src', name));
const text = new Map(sources.map((file) => [file, readFileSync(file, 'utf8')]));
const examples: Example[] = sources.flatMap((file) =>
  [...(text.get(file) ?? '').matchAll(/@example\n([\s\S]*?)(?=\n\s*\* @|\n\s*\*\/)/g)].map(([, block = '']) => ({
    file,
    code: block.replaceAll(/^\s*\* ?/gm, ''),
  })),
);

/** Where each public name comes from, read from the tables of contents. */
const subpathOf = new Map<string, string>();
const types = new Set<string>();
for (const file of sources) {
  const isEntry = file.endsWith('index.ts') || /^src\/(stores|use)\/[\w-]+\.ts$/.test(file);
  if (!isEntry || !text.get(file)?.startsWith('export')) continue;
  const subpath =
    file === 'src/core/index.ts' ? 'doorward' : `doorward/${file.slice(4).replace(/(\/index)?\.ts$/, '')}`;
  for (const [, all, names = ''] of (text.get(file) ?? '').matchAll(/export (type )?\{([^}]*)\}/g)) {
    for (const item of names.split(',')) {
      const name = item.trim().replace(/^type /, '');
      if (name === '') continue;
      subpathOf.set(name, subpath);
      if (all !== undefined || name !== item.trim()) types.add(name);
    }
  }
}
for (const name of ['makeExecutableSchema']) subpathOf.set(name, '@graphql-tools/schema');
for (const name of ['createServer']) subpathOf.set(name, 'node:http');

/** An example as a module: public names imported, names of the reader's own program declared. */
function moduleOf({ code }: Example, unknown: ReadonlySet<string>): string {
  const used = [...subpathOf].filter(
    ([name]) =>
      new RegExp(`\\b${name}\\b`).test(code) && !new RegExp(`\\b(const|function|type|interface) ${name}\\b`).test(code),
  );
  const imports = used.map(
    ([name, subpath]) => `import { ${types.has(name) ? 'type ' : ''}${name} } from '${subpath}';`,
  );
  // The reader's own names may be of any type: `any` stands in what is compiled here, not in this program.
  const declared = [...unknown]
    .filter((name) => !subpathOf.has(name))
    .map((name) => `declare const ${name}: any; type ${name} = any;`);
  return `${imports.join('\n')}\n${declared.join('\n')}\nexport const example = async (): Promise<void> => {\n${code}\n};\n`;
}

function compile(modules: ReadonlyMap<string, string>): ReadonlyMap<string, readonly ts.Diagnostic[]> {
  const { config } = ts.readConfigFile('tsconfig.json', ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, process.cwd());
  const settings = { ...options, declaration: false, isolatedDeclarations: false, noImplicitAny: false };
  const host = ts.createCompilerHost(settings);
  const { getSourceFile, fileExists } = host;
  host.fileExists = (name) => modules.has(name) || fileExists(name);
  host.getSourceFile = (name, version, ...rest) => {
    const source = modules.get(name);
    return source === undefined
      ? getSourceFile(name, version, ...rest)
      : ts.createSourceFile(name, source, version, true);
  };
  const program = ts.createProgram([...modules.keys()], settings, host);
  return new Map(
    [...modules.keys()].map((name) => [name, ts.getPreEmitDiagnostics(program, program.getSourceFile(name))]),
  );
}

const UNKNOWN_NAME = new Set([2304, 2552, 2503, 18004]);
const fileOf = (index: number) => join(process.cwd(), 'test', `tsdoc-example-${index}.ts`);

describe('the examples of the doc comments', () => {
  it('compile', () => {
    expect(examples.length).toBeGreaterThan(60);
    const first = compile(new Map(examples.map((example, index) => [fileOf(index), moduleOf(example, new Set())])));
    const second = compile(
      new Map(
        examples.map((example, index) => {
          const unknown = (first.get(fileOf(index)) ?? []).filter(({ code }) => UNKNOWN_NAME.has(code));
          const names = unknown.map(({ file, start = 0, length = 0 }) => file?.text.slice(start, start + length) ?? '');
          return [fileOf(index), moduleOf(example, new Set(names))];
        }),
      ),
    );
    const problems = examples.flatMap((example, index) =>
      (second.get(fileOf(index)) ?? []).map(
        (diagnostic) => `${example.file}: ${ts.flattenDiagnosticMessageText(diagnostic.messageText, ' ')}`,
      ),
    );
    expect(problems).toEqual([]);
  });

  it('stand at every public function', () => {
    const lacking = sources.flatMap((file) => {
      const functions = [
        ...(text.get(file) ?? '').matchAll(/(\/\*\*(?:(?!\*\/)[\s\S])*\*\/)?\s*\nexport function (\w+)/g),
      ];
      return functions
        .filter(
          ([, comment, name = '']) =>
            subpathOf.has(name) && !comment?.includes('@example') && file !== 'src/abac/build.ts',
        )
        .map(([, , name]) => `${file}: ${name}`);
    });
    expect(lacking).toEqual([]);
  });
});
