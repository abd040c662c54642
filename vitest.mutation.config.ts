import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** The suites that hold the evaluation core, for `npm run test:mutation`. */
const config: ReturnType<typeof defineConfig> = defineConfig({
  root: at('.'),
  resolve: {
    alias: [
      { find: /^doorward$/, replacement: at('./src/core/index.ts') },
      { find: /^doorward\/([\w-]+)$/, replacement: at('./src/$1/index.ts') },
    ],
  },
  test: {
    include: [
      'test/abac/policy-engine.test.ts',
      'test/abac/reference.test.ts',
      'test/abac/engine-*.test.ts',
      'test/abac/condition*.test.ts',
      'test/abac/recorded-opa.test.ts',
    ],
    setupFiles: ['test/abac/support/mutation.ts'],
    testTimeout: 60_000,
    env: { PROPERTY_RUNS: 'few' },
  },
});

export default config;
