import type { TotpRecord, TotpStore } from '../totp/totp-store.ts';
import type { SqlDatabase } from './sql-database.ts';
import { recordOf, rowsOf } from './sql-rows.ts';

const FIND = `SELECT account_id AS "accountId", sealed_secret AS "sealedSecret", confirmed,
  recovery_hashes AS "recoveryHashes" FROM doorward_totp WHERE account_id = $1`;

const ENROL = `INSERT INTO doorward_totp AS t (account_id, sealed_secret, confirmed, recovery_hashes)
  VALUES ($1, $2, false, $3::text::jsonb)
  ON CONFLICT (account_id) DO UPDATE
    SET sealed_secret = excluded.sealed_secret, recovery_hashes = excluded.recovery_hashes WHERE NOT t.confirmed
  RETURNING account_id`;

const CONFIRM = `UPDATE doorward_totp SET confirmed = true, recovery_hashes = $3::text::jsonb
  WHERE account_id = $1 AND sealed_secret = $2 AND NOT confirmed RETURNING account_id`;

const TAKE = `UPDATE doorward_totp SET recovery_hashes = recovery_hashes - $2::text
  WHERE account_id = $1 AND confirmed AND recovery_hashes @> to_jsonb($2::text) RETURNING account_id`;

const REPLACE = `UPDATE doorward_totp SET recovery_hashes = $2::text::jsonb
  WHERE account_id = $1 AND confirmed RETURNING account_id`;

/**
 * Keeps TOTP enrolments in the table `doorward_totp` of a PostgreSQL; see {@link migrate}.
 *
 * @example
 * const store = createSqlTotpStore(pool);
 */
export function createSqlTotpStore(db: SqlDatabase): TotpStore {
  const changed = async (text: string, values: unknown[]): Promise<boolean> =>
    (await rowsOf(db, text, values)).length === 1;

  return {
    async find(accountId) {
      const [row] = await rowsOf(db, FIND, [accountId]);
      // The readers of a store check every record; this only names what the columns are.
      return recordOf(row) as TotpRecord | undefined;
    },
    enrol: ({ accountId, sealedSecret, recoveryHashes }) =>
      changed(ENROL, [accountId, sealedSecret, JSON.stringify(recoveryHashes)]),
    confirm: (accountId, sealedSecret, recoveryHashes) =>
      changed(CONFIRM, [accountId, sealedSecret, JSON.stringify(recoveryHashes)]),
    takeRecovery: (accountId, hash) => changed(TAKE, [accountId, hash]),
    replaceRecovery: (accountId, recoveryHashes) => changed(REPLACE, [accountId, JSON.stringify(recoveryHashes)]),
    remove: (accountId) => changed('DELETE FROM doorward_totp WHERE account_id = $1 RETURNING account_id', [accountId]),
  };
}
