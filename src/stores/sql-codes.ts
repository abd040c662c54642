import type { CodeState, CodeStore, TakenCode } from '../oauth/codes/code-store.ts';
import type { SqlDatabase } from './sql-database.ts';
import { purgeAlongTheWay } from './sql-purge.ts';
import { recordOf, rowsOf } from './sql-rows.ts';

const PUT = `INSERT INTO doorward_codes (hash, record, expires_at, keep_until)
  VALUES ($1, $2::text::json, $3::bigint, $4::bigint)`;

const FIND = `SELECT record, taken_by AS "takenBy", replayed, failures FROM doorward_codes
  WHERE hash = $1 AND keep_until > $2::bigint`;

// Parallel calls queue up on the row, and each looks at what the one before it has written: the first finds
// nobody's mark and leaves its own, every other one finds that and marks the code as replayed.
const TAKE = `UPDATE doorward_codes
  SET replayed = taken_by IS NOT NULL, taken_by = coalesce(taken_by, $2)
  WHERE hash = $1 AND keep_until > $4::bigint
    AND (taken_by IS NOT NULL OR (expires_at > $4::bigint AND failures < $3::integer))
  RETURNING replayed, taken_by AS "sessionId"`;

const FAIL = `UPDATE doorward_codes SET failures = failures + 1
  WHERE hash = $1 AND keep_until > $2::bigint AND taken_by IS NULL RETURNING failures`;

/**
 * Keeps authorization codes in the table `doorward_codes` of a PostgreSQL, shared by all processes; see
 * {@link migrate}. Codes are deleted in small slices along the way, an hour after the time until which they are
 * to be remembered.
 *
 * @example
 * const codes = createSqlCodeStore(pool);
 */
export function createSqlCodeStore(db: SqlDatabase): CodeStore {
  const purge = purgeAlongTheWay(db, {
    table: 'doorward_codes',
    key: 'hash',
    end: 'keep_until',
    calls: 64,
    keptMs: 3_600_000,
  });

  return {
    async put(hash, record, keepUntil, now) {
      await purge(now);
      await rowsOf(db, PUT, [hash, JSON.stringify(record), record.expiresAt, keepUntil]);
    },
    async find(hash, now) {
      const [row] = await rowsOf(db, FIND, [hash, now]);
      // The readers of a store check every answer; this only names what the columns are.
      return recordOf(row) as CodeState | undefined;
    },
    async take(hash, sessionId, maxFailures, now) {
      const [row] = await rowsOf(db, TAKE, [hash, sessionId, maxFailures, now]);
      if (row === undefined) return { kind: 'gone' };
      const { replayed, sessionId: taker } = row as { readonly replayed: boolean; readonly sessionId: string };
      return (replayed ? { kind: 'replayed', sessionId: taker } : { kind: 'taken' }) satisfies TakenCode;
    },
    async fail(hash, now) {
      const [row] = await rowsOf(db, FAIL, [hash, now]);
      return row === undefined ? 0 : (row as { readonly failures: number }).failures;
    },
  };
}
