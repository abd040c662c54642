import { createRequire } from 'node:module';
import type { PGliteOptions } from '@electric-sql/pglite';

/**
 * What tests get as `@electric-sql/pglite`: a database in memory begins as a copy of one that was made once a worker.
 * That is the same empty database, in a quarter of the time.
 */
const whole: typeof import('@electric-sql/pglite') = createRequire(import.meta.url)('@electric-sql/pglite');
const { PGlite: Fresh } = whole;

const first = await Fresh.create();
const empty = await first.dumpDataDir('none');
await first.close();

function begun(options: PGliteOptions): PGliteOptions {
  return options.dataDir === undefined ? { ...options, loadDataDir: empty } : options;
}

export class PGlite extends Fresh {
  constructor(options: PGliteOptions = {}) {
    super(begun(options));
  }

  static override async create<O extends PGliteOptions>(options?: O): ReturnType<typeof Fresh.create<O>> {
    return Fresh.create({ ...options, ...begun(options ?? {}) } as O);
  }
}
