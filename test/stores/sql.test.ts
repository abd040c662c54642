import { PGlite } from '@electric-sql/pglite';
import { createSqlAccountStore, createSqlRateLimitStore, migrate } from 'doorward/stores/sql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeStores } from './conformance.ts';

const db = new PGlite();
beforeAll(() => migrate(db));
afterAll(() => db.close());

const empty = () => db.exec('TRUNCATE doorward_accounts, doorward_rate_limits');

describeStores('SQL', async () => {
  await empty();
  return { accounts: createSqlAccountStore(db), limits: createSqlRateLimitStore(db) };
});

describe('SQL schema', () => {
  it('is created once, however often and however parallel it is migrated', async () => {
    await empty();
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

  it('STO-13 hands out roles that are no list as they are, for the reader to refuse', async () => {
    await empty();
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
    const accounts = createSqlAccountStore(recording);
    const limits = createSqlRateLimitStore(recording);
    const secret = 'needle';
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
    await accounts.remove(secret);
    await limits.hit(secret, 1, 0);
    await limits.release(secret, 0);
    expect(statements).toHaveLength(7);
    for (const { text, values } of statements) {
      expect(text).not.toContain(secret);
      expect(text).not.toContain(';');
      expect(JSON.stringify(values)).toContain(secret);
    }
  });
});

describe('SQL rate limits', () => {
  it('DOS-11 delete ended windows in small slices along the way, and no open one', async () => {
    await empty();
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
