import type { SqlDatabase } from './sql-database.ts';

/**
 * Runs one statement. Of an error only the message and the code (SQLSTATE) go on: databases hang the
 * parameters and the failing row on it, password hashes and e-mail addresses among them.
 */
export async function rowsOf(db: SqlDatabase, text: string, values: unknown[]): Promise<readonly unknown[]> {
  try {
    return (await db.query(text, values)).rows;
  } catch (error) {
    if (!(error instanceof Error)) throw new Error('the database failed');
    throw Object.assign(new Error(error.message), 'code' in error && { code: error.code });
  }
}

/** A row as a record: a column that is NULL is a property that is absent. */
export function recordOf(row: unknown): unknown {
  if (typeof row !== 'object' || row === null) return undefined;
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null));
}
