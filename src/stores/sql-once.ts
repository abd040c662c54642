import type { OnceStore } from '../core/once-store.ts';
import { assertOnceKey } from './once-key.ts';
import type { SqlDatabase } from './sql-database.ts';
import { purgeAlongTheWay } from './sql-purge.ts';
import { rowsOf } from './sql-rows.ts';

// Parallel calls queue up on the row; whoever comes second sees what the first one wrote.
const ONCE = `INSERT INTO doorward_once AS o (key, expires_at) VALUES ($1, $2::bigint)
  ON CONFLICT (key) DO UPDATE SET expires_at = excluded.expires_at WHERE o.expires_at <= $3::bigint
  RETURNING key`;

/**
 * Remembers used keys in the table `doorward_once` of a PostgreSQL, for all processes; see {@link migrate}.
 * Expired keys are deleted in small slices along the way, an hour after their end. A key that would be
 * forgotten at once, because it expires at or before `now`, is never granted.
 *
 * @example
 * const once = createSqlOnceStore(pool);
 */
export function createSqlOnceStore(db: SqlDatabase): OnceStore {
  const purge = purgeAlongTheWay(db, {
    table: 'doorward_once',
    key: 'key',
    end: 'expires_at',
    calls: 64,
    keptMs: 3_600_000,
  });

  return {
    async once(key, expiresAt, now) {
      assertOnceKey(key);
      // Written so that an expiry that is no number is refused, too.
      if (!(expiresAt > now)) return false;
      await purge(now);
      return (await rowsOf(db, ONCE, [key, expiresAt, now])).length === 1;
    },
  };
}
