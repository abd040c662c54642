/**
 * What the SQL stores need of a PostgreSQL: a pool of `pg` is one, and so is a PGlite. Every statement
 * stands alone, so that any connection of a pool can run it.
 */
export interface SqlDatabase {
  query(text: string, values: unknown[]): Promise<{ readonly rows: readonly unknown[] }>;
}
