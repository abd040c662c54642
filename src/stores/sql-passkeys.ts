import type { PasskeyRecord, PasskeyStore } from '../webauthn/passkey-store.ts';
import type { SqlDatabase } from './sql-database.ts';
import { recordOf, rowsOf } from './sql-rows.ts';

const SELECT = `SELECT id, account_id AS "accountId", public_key AS "publicKey", counter::float8 AS counter, transports,
  backed_up AS "backedUp", user_verified AS "userVerified", label, created_at::float8 AS "createdAt" FROM doorward_passkeys`;

const ADD = `INSERT INTO doorward_passkeys
  (id, account_id, public_key, counter, transports, backed_up, user_verified, label, created_at)
  VALUES ($1, $2, $3, $4::bigint, $5::text::jsonb, $6, $7, $8, $9::bigint)
  ON CONFLICT (id) DO NOTHING RETURNING id`;

// Compared and set in one statement: of two that saw the same counter, one finds it changed.
const COUNT = 'UPDATE doorward_passkeys SET counter = $3::bigint WHERE id = $1 AND counter = $2::bigint RETURNING id';

/**
 * Keeps passkeys in the table `doorward_passkeys` of a PostgreSQL; see {@link migrate}.
 *
 * @example
 * const store = createSqlPasskeyStore(pool);
 */
export function createSqlPasskeyStore(db: SqlDatabase): PasskeyStore {
  const changed = async (text: string, values: unknown[]): Promise<boolean> =>
    (await rowsOf(db, text, values)).length === 1;

  return {
    add: ({ id, accountId, publicKey, counter, transports, backedUp, userVerified, label, createdAt }) => {
      const key = [id, accountId, publicKey, counter, JSON.stringify(transports)];
      return changed(ADD, [...key, backedUp, userVerified, label, createdAt]);
    },
    async find(id) {
      const [row] = await rowsOf(db, `${SELECT} WHERE id = $1`, [id]);
      // The readers of a store check every record; this only names what the columns are.
      return recordOf(row) as PasskeyRecord | undefined;
    },
    async list(accountId) {
      const rows = await rowsOf(db, `${SELECT} WHERE account_id = $1 ORDER BY created_at, id COLLATE "C"`, [accountId]);
      return rows.map((row) => recordOf(row) as PasskeyRecord);
    },
    count: (id, expected, counter) => changed(COUNT, [id, expected, counter]),
    remove: (accountId, id) =>
      changed('DELETE FROM doorward_passkeys WHERE account_id = $1 AND id = $2 RETURNING id', [accountId, id]),
    async removeAll(accountId) {
      await rowsOf(db, 'DELETE FROM doorward_passkeys WHERE account_id = $1', [accountId]);
    },
  };
}
