import { PGlite } from '@electric-sql/pglite';
import {
  createSqlAccountStore,
  createSqlApiKeyStore,
  createSqlOnceStore,
  createSqlPasskeyStore,
  createSqlRateLimitStore,
  createSqlSessionStore,
  createSqlTotpStore,
  migrate,
} from 'doorward/stores/sql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { empty } from './sql-conformance.ts';

const db = new PGlite();
beforeAll(() => migrate(db));
afterAll(() => db.close());

describe('SQL schema', () => {
  it('is created once, however often and however parallel it is migrated', async () => {
    await empty(db);
    const accounts = createSqlAccountStore(db);
    await accounts.create({
      id: 'id',
      username: 'ada',
      usernameKey: 'ada',
      passwordHash: 'hash',
      roles: [],
      disabled: false,
      createdAt: 0,
    });
    await Promise.all([migrate(db), migrate(db), migrate(db)]);
    expect(await accounts.byId('id')).toBeDefined();
  });

  it('is brought up to date in place, with the sessions of a former version going on', async () => {
    const former = new PGlite();
    await former.exec(`CREATE TABLE doorward_sessions (
        id text PRIMARY KEY, account_id text NOT NULL, client_id text, auth_time bigint NOT NULL, amr jsonb NOT NULL,
        acr text NOT NULL, started_at bigint NOT NULL, ends_at bigint NOT NULL, certificate_thumbprint text
      );
      INSERT INTO doorward_sessions VALUES ('old', 'id-ada', null, 0, '["pwd"]', 'aal1', 1, 9000000000000, null)`);
    await Promise.all([migrate(former), migrate(former)]);
    const sessions = createSqlSessionStore(former);
    const old = { id: 'old', accountId: 'id-ada', authTime: 0, amr: ['pwd'], acr: 'aal1', startedAt: 1 };
    expect(await sessions.find('old', 'jti', 2)).toEqual({ ...old, endsAt: 9_000_000_000_000 });
    const granted = {
      clientId: 'app',
      scopes: ['a'],
      audience: ['b'],
      dpopThumbprint: 'c',
      certificateThumbprint: 'd',
    };
    const grant = { ...old, id: 'new', endsAt: 9, ...granted };
    expect(await sessions.start(grant)).toBe(true);
    expect(await sessions.find('new', 'jti', 2)).toEqual(grant);
    await former.close();
  });

  it('locks no session out when it is up to date already', async () => {
    await migrate(db);
    const locked = await db.transaction(async (transaction) => {
      await migrate({ query: (text, values) => transaction.query(text, values) });
      const { rows } = await transaction.query<{ mode: string }>(
        `SELECT mode FROM pg_locks WHERE relation = 'doorward_sessions'::regclass`,
      );
      return rows.map(({ mode }) => mode);
    });
    expect(locked).not.toContain('AccessExclusiveLock');
    expect(locked.length).toBeGreaterThan(0);
  });

  it('STO-13 hands out roles that are no list as they are, for the reader to refuse', async () => {
    await empty(db);
    await db.exec(
      `INSERT INTO doorward_accounts VALUES ('id', 'ada', 'ada', null, 'hash', '{"admin": true}', null, false, 0)`,
    );
    expect((await createSqlAccountStore(db).byId('id'))?.roles).toEqual({ admin: true });
  });

  it('sends every operation as one statement, with values as parameters only', async () => {
    const statements: { text: string; values: unknown[] }[] = [];
    const recording = {
      query(text: string, values: unknown[]) {
        statements.push({ text, values });
        return db.query(text, values);
      },
    };
    const secret = 'needle';
    const record = { id: secret, accountId: secret, createdAt: 0 };
    const accounts = createSqlAccountStore(recording);
    await accounts.create({
      id: secret,
      username: secret,
      usernameKey: secret,
      passwordHash: secret,
      roles: [secret],
      disabled: false,
      createdAt: 0,
    });
    await accounts.byId(secret);
    await accounts.byUsernameKey(secret);
    await accounts.update(secret, { roles: [secret], department: secret, disabled: true });
    await accounts.replacePasswordHash(secret, secret, secret);
    await accounts.remove(secret);
    const limits = createSqlRateLimitStore(recording);
    await limits.hit(secret, 1, 0);
    await limits.release(secret, 0);
    const sessions = createSqlSessionStore(recording);
    const session = { ...record, authTime: 0, amr: [secret], acr: secret, startedAt: 0, endsAt: 1 };
    const successor = { hash: `next ${secret}`, idleUntil: 1 };
    await sessions.start(session, { hash: secret, idleUntil: 1 });
    await sessions.find(secret, secret, 0);
    await sessions.list(secret, 0);
    await sessions.findByRefreshToken(secret, 0);
    await sessions.rotate({ hash: secret, successor, sealedSuccessor: secret, graceMs: 0, now: 0 });
    await sessions.end(secret);
    await sessions.endAll(secret, 0, secret);
    await sessions.revokeToken(secret, 1, 0);
    await createSqlOnceStore(recording).once(secret, 1, 0);
    const totp = createSqlTotpStore(recording);
    await totp.enrol({ accountId: secret, sealedSecret: secret, confirmed: false, recoveryHashes: [secret] });
    await totp.confirm(secret, secret, [secret]);
    await totp.find(secret);
    await totp.takeRecovery(secret, secret);
    await totp.replaceRecovery(secret, [secret]);
    await totp.remove(secret);
    const passkeys = createSqlPasskeyStore(recording);
    await passkeys.add({
      ...record,
      publicKey: secret,
      counter: 0,
      transports: [secret],
      backedUp: false,
      userVerified: false,
      label: secret,
    });
    await passkeys.find(secret);
    await passkeys.list(secret);
    await passkeys.count(secret, 0, 1);
    await passkeys.remove(secret, secret);
    await passkeys.removeAll(secret);
    const keys = createSqlApiKeyStore(recording);
    const key = { ...record, name: secret, hash: secret, scopes: [secret] };
    await keys.add(key);
    await keys.find(secret);
    await keys.list(secret);
    await keys.replace(secret, { ...key, id: `next ${secret}` }, 1, 0);
    await keys.touch(secret, 0);
    await keys.remove(secret, secret);
    await keys.removeAll(secret);
    expect(statements).toHaveLength(36);
    for (const { text, values } of statements) {
      expect(text).not.toContain(secret);
      expect(text).not.toContain(';');
      expect(JSON.stringify(values)).toContain(secret);
    }
  });

  it('STO-11 never asks the clock of the database', async () => {
    const texts: string[] = [];
    await migrate({
      async query(text) {
        texts.push(text);
        return { rows: [] };
      },
    });
    expect(texts).toHaveLength(1);
    expect(texts.join()).not.toMatch(
      /\bnow\(|current_(time|date)|localtime|clock_timestamp|statement_timestamp|interval/i,
    );
  });
});

describe('SQL sessions', () => {
  const NOW = 1_000_000_000_000;
  const HOUR = 3_600_000;
  const session = (id: string, endsAt = NOW + HOUR) => ({
    id,
    accountId: 'id-ada',
    authTime: NOW / 1_000,
    amr: ['pwd'],
    acr: 'aal1',
    startedAt: NOW,
    endsAt,
  });
  const rotate = (hash: string, next: string) =>
    createSqlSessionStore(db).rotate({
      hash,
      successor: { hash: next, idleUntil: NOW + HOUR },
      sealedSuccessor: `sealed ${next}`,
      graceMs: 0,
      now: NOW,
    });
  const count = async (table: string) => (await db.query(`SELECT FROM ${table}`)).rows.length;

  it('REF-07 know a used token after a restart, and end its family', async () => {
    await empty(db);
    await createSqlSessionStore(db).start(session('session-1'), { hash: 'first', idleUntil: NOW + HOUR });
    expect((await rotate('first', 'second')).kind).toBe('rotated');
    expect((await rotate('first', 'eve')).kind).toBe('reused');
    expect((await rotate('second', 'third')).kind).toBe('refused');
    expect(await count('doorward_refresh_tokens')).toBe(0);
  });

  it('REF-13 leave no refresh token of a session that has ended', async () => {
    await empty(db);
    const sessions = createSqlSessionStore(db);
    for (const id of ['one', 'two', 'three']) await sessions.start(session(id), { hash: id, idleUntil: NOW + HOUR });
    await rotate('one', 'next');
    await sessions.end('one');
    await sessions.endAll('id-ada', NOW);
    expect(await count('doorward_refresh_tokens')).toBe(0);
  });

  it('DOS-14 delete what has ended in small slices along the way, and nothing else', async () => {
    await empty(db);
    const sessions = createSqlSessionStore(db);
    await db.exec(
      `INSERT INTO doorward_sessions SELECT 'ended:' || n, 'id', null, 0, '[]', '', 0, 10 FROM generate_series(1, 100) AS n;
       INSERT INTO doorward_sessions SELECT 'open:' || n, 'id', null, 0, '[]', '', 0, ${NOW + HOUR} FROM generate_series(1, 100) AS n`,
    );
    for (let index = 0; index < 16; index += 1) await sessions.start(session(`new:${index}`));
    expect(await count(`doorward_sessions WHERE id LIKE 'ended:%'`)).toBe(100 - 32);
    for (let index = 16; index < 80; index += 1) await sessions.start(session(`new:${index}`));
    expect(await count('doorward_sessions')).toBe(180);
  });

  it.each([
    ['doorward_revoked_tokens', 'id', () => createSqlSessionStore(db).revokeToken],
    ['doorward_once', 'key', () => createSqlOnceStore(db).once],
  ])('DOS-14 %s: 100,000 expired rows go in slices of 128, an hour after their end', async (table, key, open) => {
    await empty(db);
    await db.exec(`INSERT INTO ${table} SELECT 'old:' || n, ${NOW - HOUR} FROM generate_series(1, 100000) AS n;
      INSERT INTO ${table} SELECT 'late:' || n, ${NOW - HOUR + 1} FROM generate_series(1, 100) AS n`);
    const add = open();
    for (let index = 0; index < 64; index += 1) await add(`new:${index}`, NOW + HOUR, NOW);
    expect(await count(`${table} WHERE ${key} LIKE 'old:%'`)).toBe(100_000 - 128);
    expect(await count(`${table} WHERE ${key} LIKE 'late:%'`)).toBe(100);
    expect(await count(`${table} WHERE ${key} LIKE 'new:%'`)).toBe(64);
  });
});

describe('SQL rate limits', () => {
  it('DOS-11 delete ended windows in small slices along the way, and no open one', async () => {
    await empty(db);
    const limits = createSqlRateLimitStore(db);
    await db.exec(
      `INSERT INTO doorward_rate_limits SELECT 'open:' || n, 1, 1000 FROM generate_series(1, 200) AS n;
       INSERT INTO doorward_rate_limits SELECT 'ended:' || n, 1, 10 FROM generate_series(1, 1000) AS n`,
    );
    const left = async (kind: string) =>
      (
        await db.query<{ n: number }>(`SELECT count(*)::int AS n FROM doorward_rate_limits WHERE key LIKE $1`, [
          `${kind}:%`,
        ])
      ).rows[0]?.n;
    for (let index = 0; index < 64; index += 1) await limits.hit('busy', 1_000, 500);
    expect(await left('ended')).toBe(1_000 - 128);
    for (let index = 0; index < 64 * 8; index += 1) await limits.hit('busy', 1_000, 500);
    expect(await left('ended')).toBe(0);
    expect(await left('open')).toBe(200);
  });
});
