// Each function locks before it looks. Under READ COMMITTED every statement within a function sees what
// was committed before that statement began, so what is read after a lock is what the lock protects. In a
// stricter isolation level the loser of a race gets a serialization failure, which is no success either.
// The order of locks is always: floor of the account, session, refresh token.

const SESSION = `CREATE OR REPLACE FUNCTION doorward_session(s doorward_sessions) RETURNS jsonb
  LANGUAGE sql IMMUTABLE AS $fn$
  SELECT jsonb_strip_nulls(jsonb_build_object('id', s.id, 'accountId', s.account_id, 'clientId', s.client_id,
    'authTime', s.auth_time, 'amr', s.amr, 'acr', s.acr, 'startedAt', s.started_at, 'endsAt', s.ends_at,
    'certificateThumbprint', s.certificate_thumbprint, 'scopes', s.scopes, 'audience', s.audience,
    'dpopThumbprint', s.dpop_thumbprint))
  $fn$`;

// Whoever starts or ends all sessions of an account writes its floor: a start is either seen, and ended, or
// comes later, and sees the floor. To lock the row without writing it would do under READ COMMITTED only.
const START = `CREATE OR REPLACE FUNCTION doorward_session_start(
    p_session doorward_sessions, p_hash text, p_idle_until bigint
  ) RETURNS boolean LANGUAGE plpgsql AS $fn$
  DECLARE
    floor bigint;
  BEGIN
    INSERT INTO doorward_session_floors AS f (account_id) VALUES (p_session.account_id)
      ON CONFLICT (account_id) DO UPDATE SET not_before = f.not_before RETURNING f.not_before INTO STRICT floor;
    IF p_session.started_at <= floor THEN RETURN false; END IF;
    INSERT INTO doorward_sessions SELECT (p_session).*;
    IF p_hash IS NOT NULL THEN
      INSERT INTO doorward_refresh_tokens (hash, session_id, idle_until) VALUES (p_hash, p_session.id, p_idle_until);
    END IF;
    RETURN true;
  END
  $fn$`;

const END_ALL = `CREATE OR REPLACE FUNCTION doorward_session_end_all(
    p_account_id text, p_not_before bigint, p_except_id text
  ) RETURNS SETOF text LANGUAGE plpgsql AS $fn$
  BEGIN
    INSERT INTO doorward_session_floors AS f (account_id, not_before) VALUES (p_account_id, p_not_before)
      ON CONFLICT (account_id) DO UPDATE SET not_before = greatest(f.not_before, excluded.not_before);
    RETURN QUERY DELETE FROM doorward_sessions s
      WHERE s.account_id = p_account_id AND s.id IS DISTINCT FROM p_except_id RETURNING s.id;
  END
  $fn$`;

// Whether a used token still gets its successor: within the grace time, and as long as that one is unused.
const REPEATS = `CREATE OR REPLACE FUNCTION doorward_session_repeats(
    t doorward_refresh_tokens, p_grace_ms bigint, p_now bigint
  ) RETURNS boolean LANGUAGE sql STABLE AS $fn$
  SELECT p_grace_ms > 0 AND p_now < t.used_at + p_grace_ms AND EXISTS (
    SELECT FROM doorward_refresh_tokens n WHERE n.hash = t.successor_hash AND n.used_at IS NULL
  )
  $fn$`;

const ROTATE = `CREATE OR REPLACE FUNCTION doorward_session_rotate(
    p_hash text, p_client_id text, p_successor_hash text, p_successor_idle_until bigint,
    p_sealed_successor text, p_grace_ms bigint, p_now bigint
  ) RETURNS jsonb LANGUAGE plpgsql AS $fn$
  DECLARE
    refused CONSTANT jsonb := '{"kind": "refused"}';
    s doorward_sessions;
    t doorward_refresh_tokens;
  BEGIN
    SELECT * INTO s FROM doorward_sessions
      WHERE id = (SELECT session_id FROM doorward_refresh_tokens WHERE hash = p_hash) FOR UPDATE;
    IF NOT FOUND OR s.ends_at <= p_now OR s.client_id IS DISTINCT FROM p_client_id THEN RETURN refused; END IF;
    SELECT * INTO t FROM doorward_refresh_tokens WHERE hash = p_hash AND session_id = s.id FOR UPDATE;
    IF NOT FOUND THEN RETURN refused; END IF;
    IF t.used_at IS NULL THEN
      IF t.idle_until <= p_now THEN RETURN refused; END IF;
      INSERT INTO doorward_refresh_tokens (hash, session_id, idle_until)
        VALUES (p_successor_hash, s.id, p_successor_idle_until);
      UPDATE doorward_refresh_tokens
        SET used_at = p_now, successor_hash = p_successor_hash, sealed_successor = p_sealed_successor
        WHERE hash = p_hash;
      RETURN jsonb_build_object('kind', 'rotated', 'session', doorward_session(s));
    END IF;
    IF doorward_session_repeats(t, p_grace_ms, p_now) THEN
      RETURN jsonb_build_object('kind', 'repeated', 'session', doorward_session(s),
        'sealedSuccessor', t.sealed_successor);
    END IF;
    DELETE FROM doorward_sessions WHERE id = s.id;
    RETURN jsonb_build_object('kind', 'reused', 'session', doorward_session(s));
  END
  $fn$`;

/** What {@link createSqlSessionStore} calls in the database. */
export const SESSION_FUNCTIONS: readonly string[] = [SESSION, START, END_ALL, REPEATS, ROTATE];
