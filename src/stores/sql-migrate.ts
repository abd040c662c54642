import type { SqlDatabase } from './sql-database.ts';
import { SESSION_FUNCTIONS } from './sql-session-functions.ts';

const TABLES = `
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
  CREATE TABLE IF NOT EXISTS doorward_sessions (
    id text PRIMARY KEY,
    account_id text NOT NULL,
    client_id text,
    auth_time bigint NOT NULL,
    amr jsonb NOT NULL,
    acr text NOT NULL,
    started_at bigint NOT NULL,
    ends_at bigint NOT NULL,
    certificate_thumbprint text,
    scopes jsonb,
    audience jsonb,
    dpop_thumbprint text
  );
  IF NOT EXISTS (
    SELECT FROM pg_attribute WHERE attrelid = 'doorward_sessions'::regclass AND attname = 'dpop_thumbprint'
  ) THEN
    ALTER TABLE doorward_sessions ADD COLUMN scopes jsonb, ADD COLUMN audience jsonb, ADD COLUMN dpop_thumbprint text;
  END IF;
  CREATE INDEX IF NOT EXISTS doorward_sessions_account_id ON doorward_sessions (account_id);
  CREATE INDEX IF NOT EXISTS doorward_sessions_ends_at ON doorward_sessions (ends_at);
  CREATE TABLE IF NOT EXISTS doorward_session_floors (
    account_id text PRIMARY KEY,
    not_before bigint
  );
  CREATE TABLE IF NOT EXISTS doorward_refresh_tokens (
    hash text PRIMARY KEY,
    session_id text NOT NULL REFERENCES doorward_sessions ON DELETE CASCADE,
    idle_until bigint NOT NULL,
    used_at bigint,
    successor_hash text,
    sealed_successor text
  );
  CREATE INDEX IF NOT EXISTS doorward_refresh_tokens_session_id ON doorward_refresh_tokens (session_id);
  CREATE TABLE IF NOT EXISTS doorward_revoked_tokens (
    id text PRIMARY KEY,
    expires_at bigint NOT NULL
  );
  CREATE INDEX IF NOT EXISTS doorward_revoked_tokens_expires_at ON doorward_revoked_tokens (expires_at);
  CREATE TABLE IF NOT EXISTS doorward_once (
    key text PRIMARY KEY,
    expires_at bigint NOT NULL
  );
  CREATE INDEX IF NOT EXISTS doorward_once_expires_at ON doorward_once (expires_at);
  CREATE TABLE IF NOT EXISTS doorward_totp (
    account_id text PRIMARY KEY,
    sealed_secret text NOT NULL,
    confirmed boolean NOT NULL,
    recovery_hashes jsonb NOT NULL
  );
  CREATE TABLE IF NOT EXISTS doorward_passkeys (
    id text PRIMARY KEY,
    account_id text NOT NULL,
    public_key text NOT NULL,
    counter bigint NOT NULL,
    transports jsonb NOT NULL,
    backed_up boolean NOT NULL,
    user_verified boolean NOT NULL,
    label text NOT NULL,
    created_at bigint NOT NULL
  );
  CREATE INDEX IF NOT EXISTS doorward_passkeys_account_id ON doorward_passkeys (account_id);
  CREATE TABLE IF NOT EXISTS doorward_api_keys (
    id text PRIMARY KEY,
    account_id text NOT NULL,
    name text NOT NULL,
    hash text NOT NULL,
    scopes jsonb NOT NULL,
    created_at bigint NOT NULL,
    expires_at bigint,
    last_used_at bigint,
    replaced_by text
  );
  CREATE INDEX IF NOT EXISTS doorward_api_keys_account_id ON doorward_api_keys (account_id);
  CREATE TABLE IF NOT EXISTS doorward_codes (
    hash text PRIMARY KEY,
    record json NOT NULL,
    expires_at bigint NOT NULL,
    keep_until bigint NOT NULL,
    taken_by text,
    replayed boolean NOT NULL DEFAULT false,
    failures integer NOT NULL DEFAULT 0
  );
  CREATE INDEX IF NOT EXISTS doorward_codes_keep_until ON doorward_codes (keep_until);
  CREATE TABLE IF NOT EXISTS doorward_consents (
    account_id text NOT NULL,
    client_id text NOT NULL,
    scopes jsonb NOT NULL,
    granted_at bigint NOT NULL,
    PRIMARY KEY (account_id, client_id)
  );`;

// One statement, hence one transaction; the lock lets several processes start at the same time. A table is altered
// only where a column is missing: to ask for it with IF NOT EXISTS would lock out all sessions at every start.
const SCHEMA = `DO $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('doorward.migrate'));
${TABLES}
  ${SESSION_FUNCTIONS.join(';\n  ')};
END
$$`;

/**
 * Creates the tables and functions of all SQL stores where they are missing; their names begin with
 * `doorward_`. May run at every start, also of several processes at once.
 *
 * @example
 * await migrate(pool);
 */
export async function migrate(db: SqlDatabase): Promise<void> {
  await db.query(SCHEMA, []);
}
