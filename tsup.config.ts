import { existsSync, readFileSync } from 'node:fs';
import { defineConfig, type Options } from 'tsup';

/** The subpaths are listed once, in package.json `exports`; this maps each to its source file. */
function librarySources(): Record<string, string> {
  const { exports } = JSON.parse(readFileSync('package.json', 'utf8')) as { exports: Record<string, unknown> };
  const entries: Record<string, string> = {};
  for (const subpath of Object.keys(exports)) {
    if (subpath === './package.json') continue;
    const name = subpath === '.' ? 'index' : subpath.slice(2);
    const folder = `src/${name === 'index' ? 'core' : name}/index.ts`;
    entries[name] = existsSync(folder) ? folder : `src/${name}.ts`;
  }
  return entries;
}

/** A program of the examples. */
function example(name: string): Options {
  return {
    entry: { main: `examples/${name}/main.ts` },
    outDir: `examples/${name}/dist`,
    format: ['esm'],
    target: 'node20',
    platform: 'node',
    removeNodeProtocol: false,
    // Packages stay packages, doorward itself included: the example runs on what is built.
    esbuildOptions: (options) => {
      options.packages = 'external';
      options.tsconfigRaw = {};
      delete options.tsconfig;
    },
    clean: true,
    dts: false,
  };
}

const config: ReturnType<typeof defineConfig> = defineConfig([
  {
    entry: librarySources(),
    format: ['esm', 'cjs'],
    target: 'node20',
    platform: 'node',
    splitting: true,
    removeNodeProtocol: false,
    clean: true,
    dts: { banner: '/// <reference types="node" />', compilerOptions: { ignoreDeprecations: '6.0' } },
  },
  example('server'),
  example('pdp'),
]);

export default config;
