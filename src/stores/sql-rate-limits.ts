import type { Hits, RateLimitStore } from '../accounts/index.ts';
import type { SqlDatabase } from './sql-database.ts';
import { purgeAlongTheWay } from './sql-purge.ts';
import { rowsOf } from './sql-rows.ts';

// A window that has ended is replaced by a new one, an open one is counted up: in one statement, so
// that parallel hits queue up on the row.
const HIT = `INSERT INTO doorward_rate_limits AS w (key, count, reset_at)
  VALUES ($1, 1, $2::bigint + $3::bigint)
  ON CONFLICT (key) DO UPDATE SET
    count = CASE WHEN w.reset_at > $2::bigint THEN w.count + 1 ELSE 1 END,
    reset_at = CASE WHEN w.reset_at > $2::bigint THEN w.reset_at ELSE excluded.reset_at END
  RETURNING count, reset_at::float8 AS "resetAt"`;

// With its last hit a window ends, and the next purge deletes it.
const RELEASE = `UPDATE doorward_rate_limits
  SET count = count - 1, reset_at = CASE WHEN count > 1 THEN reset_at ELSE 0 END
  WHERE key = $1 AND reset_at = $2::bigint`;

/**
 * Keeps counters in the table `doorward_rate_limits` of a PostgreSQL, shared by all processes; see
 * {@link migrate}. Ended windows are deleted in small slices along the way.
 *
 * @example
 * const limits = createSqlRateLimitStore(pool);
 */
export function createSqlRateLimitStore(db: SqlDatabase): RateLimitStore {
  const purge = purgeAlongTheWay(db, { table: 'doorward_rate_limits', key: 'key', end: 'reset_at', calls: 64 });

  return {
    async hit(key, windowMs, now) {
      await purge(now);
      const [hit] = await rowsOf(db, HIT, [key, now, windowMs]);
      // The limiter checks what a store answers; this only names what the columns are.
      return hit as Hits;
    },
    async release(key, resetAt) {
      await rowsOf(db, RELEASE, [key, resetAt]);
    },
  };
}
