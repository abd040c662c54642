import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const require = createRequire(import.meta.url);
const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** Vite and Node would each load their own build of graphql; both get the one that Node resolves. */
const oneGraphql = { find: /^graphql$/, replacement: require.resolve('graphql') };

/** Tests begin with a copy of an empty database, which takes a quarter of making one. */
const copiedDatabase = { find: /^@electric-sql\/pglite$/, replacement: at('test/pglite.ts') };

const fromSource = [
  { find: /^doorward$/, replacement: at('src/core/index.ts') },
  { find: /^doorward\/((?:stores|use)\/[\w-]+)$/, replacement: at('src/$1.ts') },
  { find: /^doorward\/oauth\/client$/, replacement: at('src/oauth/client/index.ts') },
  { find: /^doorward\/([\w-]+)$/, replacement: at('src/$1/index.ts') },
];
const fromDist = (extension: 'js' | 'cjs') => [
  { find: /^doorward$/, replacement: at(`dist/index.${extension}`) },
  { find: /^doorward\/([\w/-]+)$/, replacement: at(`dist/$1.${extension}`) },
];

/** What speaks only to the public interface, and so runs against the built package too. */
const publicSuites = ['test/contract/**/*.test.ts', 'test/security/**/*.test.ts'];
/** Suites that need a service, start processes of what is built, or take much time; each is a project of its own. */
const apart = ['process', 'opa', 'postgres', 'browser', 'fuzz'] as const;
const suiteOf = (name: string): string => `test/**/*.${name}.test.ts`;

const config: ReturnType<typeof defineConfig> = defineConfig({
  test: {
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // A second, the default, is less than a busy machine may need.
    expect: { poll: { timeout: 10_000, interval: 10 } },
    maxWorkers: '100%',
    // The package has no module state, so files may share a process: loading it once a worker saves a minute.
    isolate: false,
    projects: [
      {
        resolve: { alias: [oneGraphql, copiedDatabase, ...fromSource] },
        test: { name: 'unit', include: ['test/**/*.test.ts'], exclude: apart.map(suiteOf) },
        extends: true,
      },
      ...apart.map((name) => ({
        resolve: { alias: [oneGraphql, copiedDatabase, ...fromSource] },
        test: { name, include: [suiteOf(name)] },
        extends: true as const,
      })),
      {
        resolve: { alias: [oneGraphql, copiedDatabase, ...fromDist('js')] },
        test: {
          name: 'dist-esm',
          include: publicSuites,
          exclude: apart.map(suiteOf),
          server: { deps: { external: [/\/dist\//] } },
        },
        extends: true,
      },
      {
        resolve: { alias: [oneGraphql, copiedDatabase, ...fromDist('cjs')] },
        test: {
          name: 'dist-cjs',
          include: publicSuites,
          exclude: apart.map(suiteOf),
          server: { deps: { external: [/\/dist\//] } },
        },
        extends: true,
      },
    ],
  },
});

export default config;
