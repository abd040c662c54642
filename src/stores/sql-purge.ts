import type { SqlDatabase } from './sql-database.ts';
import { rowsOf } from './sql-rows.ts';

/** Rows that one purge deletes at most for each call between two purges: more than the calls can add. */
const ROWS_PER_CALL = 2;

/** What is deleted: rows of one table whose time is over. */
export interface Purge {
  readonly table: string;
  /** The column with the primary key. */
  readonly key: string;
  /** The column with the end, in epoch milliseconds. */
  readonly end: string;
  /** Calls between two purges. */
  readonly calls: number;
  /**
   * How long a row is kept beyond its end, in milliseconds. Where forgetting too early would allow
   * something, this makes up for servers whose clocks differ.
   *
   * @default 0
   */
  readonly keptMs?: number;
}

/**
 * Makes a function to be called with the time at every call of a store; once in so many calls it deletes a
 * slice of what has ended. A purge that fails is made up for by the next one.
 */
export function purgeAlongTheWay(db: SqlDatabase, purge: Purge): (now: number) => Promise<void> {
  const { table, key, end, calls, keptMs = 0 } = purge;
  // Rows that somebody is just changing are locked: they are skipped, not waited for.
  const statement = `DELETE FROM ${table} WHERE ${key} IN (
      SELECT ${key} FROM ${table} WHERE ${end} <= $1::bigint LIMIT ${ROWS_PER_CALL * calls} FOR UPDATE SKIP LOCKED
    ) AND ${end} <= $1::bigint`;
  let seen = 0;
  return async (now) => {
    seen += 1;
    if (seen % calls === 0) await rowsOf(db, statement, [now - keptMs]).catch(() => undefined);
  };
}
