import type { Account, AccountPatch, AccountStore } from '../accounts/index.ts';
import type { SqlDatabase } from './sql-database.ts';
import { rowsOf } from './sql-rows.ts';

/** The columns under the names that an account has. */
const COLUMNS = `id, username, username_key AS "usernameKey", email, password_hash AS "passwordHash", roles, department,
  disabled, created_at::float8 AS "createdAt"`;

const INSERT = `INSERT INTO doorward_accounts
  (id, username, username_key, email, password_hash, roles, department, disabled, created_at)
  VALUES ($1, $2, $3, $4, $5, $6::text::jsonb, $7, $8, $9)
  ON CONFLICT (username_key) DO NOTHING RETURNING id`;

const REPLACE_HASH = `UPDATE doorward_accounts SET password_hash = $3
  WHERE id = $1 AND password_hash = $2 RETURNING id`;

/**
 * Keeps accounts in the table `doorward_accounts` of a PostgreSQL; see {@link migrate}.
 *
 * @example
 * const store = createSqlAccountStore(pool);
 */
export function createSqlAccountStore(db: SqlDatabase): AccountStore {
  async function one(text: string, values: unknown[]): Promise<Account | undefined> {
    const [row] = await rowsOf(db, text, values);
    // The readers of a store check every record; this only names what the columns are.
    return row as Account | undefined;
  }

  const byId = (id: string): Promise<Account | undefined> =>
    one(`SELECT ${COLUMNS} FROM doorward_accounts WHERE id = $1`, [id]);

  return {
    async create(account) {
      const { id, username, usernameKey, email = null, passwordHash, roles, department = null } = account;
      const values = [id, username, usernameKey, email, passwordHash, JSON.stringify(roles), department];
      const added = await rowsOf(db, INSERT, [...values, account.disabled, account.createdAt]);
      return added.length === 1;
    },
    byId,
    byUsernameKey: (usernameKey) =>
      one(`SELECT ${COLUMNS} FROM doorward_accounts WHERE username_key = $1`, [usernameKey]),
    update(id, patch) {
      const { assignments, values } = assignmentsOf(patch);
      if (assignments.length === 0) return byId(id);
      const text = `UPDATE doorward_accounts SET ${assignments.join(', ')} WHERE id = $1 RETURNING ${COLUMNS}`;
      return one(text, [id, ...values]);
    },
    async replacePasswordHash(id, expected, next) {
      const replaced = await rowsOf(db, REPLACE_HASH, [id, expected, next]);
      return replaced.length === 1;
    },
    async remove(id) {
      const removed = await rowsOf(db, 'DELETE FROM doorward_accounts WHERE id = $1 RETURNING id', [id]);
      return removed.length === 1;
    },
  };
}

/** Only the given fields, so that two updates of different fields cannot undo each other. `$1` is the id. */
function assignmentsOf({ roles, department, disabled }: AccountPatch) {
  const assignments: string[] = [];
  const values: unknown[] = [];
  const assign = (column: string, value: unknown, cast = ''): void => {
    values.push(value);
    assignments.push(`${column} = $${values.length + 1}${cast}`);
  };
  if (roles !== undefined) assign('roles', JSON.stringify(roles), '::text::jsonb');
  if (department !== undefined) assign('department', department);
  if (disabled !== undefined) assign('disabled', disabled);
  return { assignments, values };
}
