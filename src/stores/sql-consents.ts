import type { ConsentRecord, ConsentStore } from '../oauth/consents/consent-store.ts';
import type { SqlDatabase } from './sql-database.ts';
import { recordOf, rowsOf } from './sql-rows.ts';

const SELECT = `SELECT client_id AS "clientId", scopes, granted_at::float8 AS "grantedAt" FROM doorward_consents
  WHERE account_id = $1`;

// Parallel calls queue up on the row, and each adds to what the one before it has written.
const GRANT = `INSERT INTO doorward_consents AS c (account_id, client_id, scopes, granted_at)
  VALUES ($1, $2, $3::text::jsonb, $4::bigint)
  ON CONFLICT (account_id, client_id) DO UPDATE SET
    scopes = c.scopes || (
      SELECT coalesce(jsonb_agg(added.scope ORDER BY added.at), '[]'::jsonb)
      FROM jsonb_array_elements(excluded.scopes) WITH ORDINALITY AS added (scope, at)
      WHERE NOT c.scopes @> added.scope
    ),
    granted_at = greatest(c.granted_at, excluded.granted_at)
  WHERE NOT c.scopes @> excluded.scopes`;

/**
 * Keeps consents in the table `doorward_consents` of a PostgreSQL; see {@link migrate}.
 *
 * @example
 * const consents = createSqlConsentStore(pool);
 */
export function createSqlConsentStore(db: SqlDatabase): ConsentStore {
  return {
    async find(accountId, clientId) {
      const [row] = await rowsOf(db, `${SELECT} AND client_id = $2`, [accountId, clientId]);
      // The readers of a store check every record; this only names what the columns are.
      return recordOf(row) as ConsentRecord | undefined;
    },
    async grant(accountId, clientId, scopes, now) {
      await rowsOf(db, GRANT, [accountId, clientId, JSON.stringify([...new Set(scopes)]), now]);
    },
    async list(accountId) {
      const rows = await rowsOf(db, `${SELECT} ORDER BY client_id COLLATE "C"`, [accountId]);
      return rows.map((row) => recordOf(row) as ConsentRecord);
    },
    async revoke(accountId, clientId) {
      const text = 'DELETE FROM doorward_consents WHERE account_id = $1 AND client_id = $2 RETURNING client_id';
      return (await rowsOf(db, text, [accountId, clientId])).length === 1;
    },
    async revokeAll(accountId) {
      await rowsOf(db, 'DELETE FROM doorward_consents WHERE account_id = $1', [accountId]);
    },
  };
}
