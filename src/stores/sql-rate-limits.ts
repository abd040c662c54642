import type { RateLimitStore } from '../accounts/index.ts';
import type { SqlDatabase } from './sql-database.ts';

const HITS_PER_PURGE = 64;

// A window that has ended is replaced by a new one, an open one is counted up: in one statement, so
// that parallel hits queue up on the row.
const HIT = `INSERT INTO doorward_rate_limits AS w (key, count, opened_at, reset_at)
  VALUES ($1, 1, $2::bigint, $2::bigint + $3::bigint)
  ON CONFLICT (key) DO UPDATE SET
    count = CASE WHEN w.reset_at > $2::bigint THEN w.count + 1 ELSE 1 END,
    opened_at = CASE WHEN w.reset_at > $2::bigint THEN w.opened_at ELSE excluded.opened_at END,
    reset_at = CASE WHEN w.reset_at > $2::bigint THEN w.reset_at ELSE excluded.reset_at END
  RETURNING count, reset_at::float8 AS "resetAt"`;

const RELEASE = `UPDATE doorward_rate_limits SET count = count - 1
  WHERE key = $1 AND count > 0 AND opened_at <= $2::bigint AND reset_at > $2::bigint`;

// Rows that somebody is just reopening are locked: they are skipped, not waited for.
const PURGE = `DELETE FROM doorward_rate_limits WHERE key IN (
    SELECT key FROM doorward_rate_limits WHERE reset_at <= $1::bigint LIMIT ${2 * HITS_PER_PURGE} FOR UPDATE SKIP LOCKED
  ) AND reset_at <= $1::bigint`;

/**
 * Keeps counters in the table `doorward_rate_limits` of a PostgreSQL, shared by all processes; see
 * {@link migrate}. Ended windows are deleted in small slices along the way.
 *
 * @example
 * const limits = createSqlRateLimitStore(pool);
 */
export function createSqlRateLimitStore(db: SqlDatabase): RateLimitStore {
  let hits = 0;

  return {
    async hit(key, windowMs, now) {
      hits += 1;
      // A purge that fails is made up for by the next one.
      if (hits % HITS_PER_PURGE === 0) await db.query(PURGE, [now]).catch(() => undefined);
      const { rows } = await db.query(HIT, [key, now, windowMs]);
      const [{ count, resetAt }] = rows as [{ count: number; resetAt: number }];
      return { count, resetAt };
    },
    async release(key, now) {
      await db.query(RELEASE, [key, now]);
    },
  };
}
