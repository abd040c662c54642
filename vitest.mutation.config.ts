import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** Most mutants fail a direct test at once; the properties are asked last. */
class DirectFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isProperty = ({ moduleId }: TestSpecification): number => Number(moduleId.endsWith('reference.test.ts'));
    return files.toSorted((a, b) => isProperty(a) - isProperty(b) || a.moduleId.localeCompare(b.moduleId));
  }
}

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
    ],
    setupFiles: ['test/abac/support/mutation.ts'],
    isolate: false,
    sequence: { sequencer: DirectFirst },
    testTimeout: 60_000,
    env: { PROPERTY_RUNS: 'few' },
  },
});

export default config;
