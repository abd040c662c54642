import type { ApiKeyRecord, ApiKeyStore } from '../api-keys/api-key-store.ts';
import type { SqlDatabase } from './sql-database.ts';
import { recordOf, rowsOf } from './sql-rows.ts';

const SELECT = `SELECT id, account_id AS "accountId", name, hash, scopes, created_at::float8 AS "createdAt",
  expires_at::float8 AS "expiresAt", last_used_at::float8 AS "lastUsedAt" FROM doorward_api_keys`;

const COLUMNS = '(id, account_id, name, hash, scopes, created_at, expires_at, last_used_at)';
const VALUES = '$1, $2, $3, $4, $5::text::jsonb, $6::bigint, $7::bigint, $8::bigint';

const ADD = `INSERT INTO doorward_api_keys ${COLUMNS} VALUES (${VALUES}) ON CONFLICT (id) DO NOTHING RETURNING id`;

// Parallel calls queue up on the old key; whoever comes second finds it replaced and adds nothing.
const REPLACE = `WITH old AS (
    UPDATE doorward_api_keys SET replaced_by = $1, expires_at = least(expires_at, $10::bigint)
    WHERE id = $9 AND account_id = $2 AND replaced_by IS NULL AND (expires_at IS NULL OR expires_at > $11::bigint)
      AND NOT EXISTS (SELECT FROM doorward_api_keys WHERE id = $1)
    RETURNING id
  )
  INSERT INTO doorward_api_keys ${COLUMNS} SELECT ${VALUES} FROM old RETURNING id`;

const TOUCH = 'UPDATE doorward_api_keys SET last_used_at = greatest(last_used_at, $2::bigint) WHERE id = $1';

/**
 * Keeps API keys in the table `doorward_api_keys` of a PostgreSQL; see {@link migrate}.
 *
 * @example
 * const store = createSqlApiKeyStore(pool);
 */
export function createSqlApiKeyStore(db: SqlDatabase): ApiKeyStore {
  const changed = async (text: string, values: unknown[]): Promise<boolean> =>
    (await rowsOf(db, text, values)).length === 1;

  return {
    add: (key) => changed(ADD, valuesOf(key)),
    async find(id) {
      const [row] = await rowsOf(db, `${SELECT} WHERE id = $1`, [id]);
      // The readers of a store check every record; this only names what the columns are.
      return recordOf(row) as ApiKeyRecord | undefined;
    },
    async list(accountId) {
      const rows = await rowsOf(db, `${SELECT} WHERE account_id = $1 ORDER BY created_at, id COLLATE "C"`, [accountId]);
      return rows.map((row) => recordOf(row) as ApiKeyRecord);
    },
    replace: (id, next, expiresAt, now) => changed(REPLACE, [...valuesOf(next), id, expiresAt, now]),
    async touch(id, lastUsedAt) {
      await rowsOf(db, TOUCH, [id, lastUsedAt]);
    },
    remove: (accountId, id) =>
      changed('DELETE FROM doorward_api_keys WHERE account_id = $1 AND id = $2 RETURNING id', [accountId, id]),
    async removeAll(accountId) {
      await rowsOf(db, 'DELETE FROM doorward_api_keys WHERE account_id = $1', [accountId]);
    },
  };
}

function valuesOf({ id, accountId, name, hash, scopes, createdAt, expiresAt, lastUsedAt }: ApiKeyRecord): unknown[] {
  return [id, accountId, name, hash, JSON.stringify(scopes), createdAt, expiresAt ?? null, lastUsedAt ?? null];
}
