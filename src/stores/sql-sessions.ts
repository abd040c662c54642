import type { RefreshTokenOwner, Rotation, SessionRecord, SessionStore } from '../accounts/index.ts';
import type { SqlDatabase } from './sql-database.ts';
import { purgeAlongTheWay } from './sql-purge.ts';
import { rowsOf } from './sql-rows.ts';

const START = `SELECT doorward_session_start(
  ROW($1, $2, $3, $4, $5::text::jsonb, $6, $7, $8, $9, $10::text::jsonb, $11::text::jsonb, $12)::doorward_sessions,
  $13, $14) AS answer`;

const FIND = `SELECT doorward_session(s) AS answer FROM doorward_sessions s
  WHERE id = $1 AND ends_at > $3::bigint
    AND NOT EXISTS (SELECT FROM doorward_revoked_tokens WHERE id = $2)`;

const LIST = `SELECT doorward_session(s) AS answer FROM doorward_sessions s
  WHERE account_id = $1 AND ends_at > $2::bigint ORDER BY started_at, id COLLATE "C"`;

const FIND_BY_REFRESH_TOKEN = `SELECT jsonb_build_object('session', doorward_session(s), 'usable',
    CASE WHEN t.used_at IS NULL THEN t.idle_until > $2::bigint
    ELSE doorward_session_repeats(t, $3::bigint, $2::bigint) END) AS answer
  FROM doorward_sessions s JOIN doorward_refresh_tokens t ON t.session_id = s.id
  WHERE t.hash = $1 AND s.ends_at > $2::bigint`;

const REVOKE = `INSERT INTO doorward_revoked_tokens AS t (id, expires_at) VALUES ($1, $2::bigint)
  ON CONFLICT (id) DO UPDATE SET expires_at = greatest(t.expires_at, excluded.expires_at)`;

/**
 * Keeps sessions in the tables `doorward_sessions`, `doorward_session_floors`, `doorward_refresh_tokens`
 * and `doorward_revoked_tokens` of a PostgreSQL, shared by all processes; see {@link migrate}. What has
 * ended by itself is deleted in small slices along the way.
 *
 * @example
 * const sessions = createSqlSessionStore(pool);
 */
export function createSqlSessionStore(db: SqlDatabase): SessionStore {
  const purgeSessions = purgeAlongTheWay(db, { table: 'doorward_sessions', key: 'id', end: 'ends_at', calls: 16 });
  const purgeRevoked = purgeAlongTheWay(db, {
    table: 'doorward_revoked_tokens',
    key: 'id',
    end: 'expires_at',
    calls: 64,
    keptMs: 3_600_000,
  });

  async function answers(text: string, values: unknown[]): Promise<readonly unknown[]> {
    const rows = await rowsOf(db, text, values);
    // The readers of a store check every answer; this only names what the column is.
    return rows.map((row) => (row as { readonly answer: unknown }).answer);
  }

  return {
    async start(session, refreshToken) {
      const { id, accountId, clientId = null, authTime, amr, acr, startedAt, endsAt } = session;
      const { certificateThumbprint = null, scopes, audience, dpopThumbprint = null } = session;
      await purgeSessions(startedAt);
      const values = [
        id,
        accountId,
        clientId,
        authTime,
        JSON.stringify(amr),
        acr,
        startedAt,
        endsAt,
        certificateThumbprint,
        scopes === undefined ? null : JSON.stringify(scopes),
        audience === undefined ? null : JSON.stringify(audience),
        dpopThumbprint,
      ];
      const token = [refreshToken?.hash ?? null, refreshToken?.idleUntil ?? null];
      const [added] = await answers(START, [...values, ...token]);
      return added as boolean;
    },
    async find(id, tokenId, now) {
      const [session] = await answers(FIND, [id, tokenId, now]);
      return session as SessionRecord | undefined;
    },
    async list(accountId, now) {
      return (await answers(LIST, [accountId, now])) as readonly SessionRecord[];
    },
    async findByRefreshToken(hash, now, graceMs = 0) {
      const [owner] = await answers(FIND_BY_REFRESH_TOKEN, [hash, now, graceMs]);
      return owner as RefreshTokenOwner | undefined;
    },
    async rotate({ hash, clientId = null, successor, sealedSuccessor, graceMs, now }) {
      const values = [hash, clientId, successor.hash, successor.idleUntil, sealedSuccessor, graceMs, now];
      const [rotation] = await answers('SELECT doorward_session_rotate($1, $2, $3, $4, $5, $6, $7) AS answer', values);
      return rotation as Rotation;
    },
    async end(id) {
      return (await rowsOf(db, 'DELETE FROM doorward_sessions WHERE id = $1 RETURNING id', [id])).length === 1;
    },
    async endAll(accountId, notBefore, exceptId) {
      const values = [accountId, notBefore, exceptId ?? null];
      return (await answers('SELECT doorward_session_end_all($1, $2, $3) AS answer', values)) as readonly string[];
    },
    async revokeToken(tokenId, expiresAt, now) {
      await purgeRevoked(now);
      await rowsOf(db, REVOKE, [tokenId, expiresAt]);
    },
  };
}
