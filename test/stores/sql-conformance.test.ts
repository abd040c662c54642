import { PGlite } from '@electric-sql/pglite';
import { migrate } from 'doorward/stores/sql';
import { afterAll, beforeAll } from 'vitest';
import { runSqlCases } from './sql-conformance.ts';

const db = new PGlite();
beforeAll(() => migrate(db));
afterAll(() => db.close());

runSqlCases('SQL', db);
