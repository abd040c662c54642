import type { SqlDatabase } from './sql-database.ts';

// One statement, hence one transaction; the lock lets several processes start at the same time.
const SCHEMA = `DO $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('doorward.migrate'));
  CREATE TABLE IF NOT EXISTS doorward_accounts (
    id text PRIMARY KEY,
    username text NOT NULL,
    username_key text NOT NULL UNIQUE,
    email text,
    password_hash text NOT NULL,
    roles jsonb NOT NULL,
    department text,
    disabled boolean NOT NULL,
    created_at bigint NOT NULL
  );
  CREATE TABLE IF NOT EXISTS doorward_rate_limits (
    key text PRIMARY KEY,
    count integer NOT NULL,
    reset_at bigint NOT NULL
  );
  CREATE INDEX IF NOT EXISTS doorward_rate_limits_reset_at ON doorward_rate_limits (reset_at);
END
$$`;

/**
 * Creates the tables `doorward_accounts` and `doorward_rate_limits` where they are missing. May run at
 * every start, also of several processes at once.
 *
 * @example
 * await migrate(pool);
 */
export async function migrate(db: SqlDatabase): Promise<void> {
  await db.query(SCHEMA, []);
}
