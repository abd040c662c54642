import { createRequire } from 'node:module';
import {
  createSqlCodeStore,
  createSqlConsentStore,
  createSqlOnceStore,
  createSqlSessionStore,
  migrate,
  type SqlDatabase,
} from 'doorward/stores/sql';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { empty, runSqlCases } from './sql-conformance.ts';

/** As much of the package `pg` as is used here. */
interface Pg {
  readonly Pool: new (options: {
    connectionString: string;
    max: number;
    options?: string;
  }) => SqlDatabase & {
    end(): Promise<void>;
  };
}

const { DATABASE_URL } = process.env;
if (DATABASE_URL === undefined) throw new Error('DATABASE_URL must name a PostgreSQL that may be emptied');
const { Pool } = createRequire(import.meta.url)('pg') as Pg;

const NOW = 1_000_000_000_000;
const ROUNDS = Array.from({ length: 200 }, (_, round) => round);
const PARALLEL = Array.from({ length: 50 }, (_, index) => index);

const db = new Pool({ connectionString: DATABASE_URL, max: 12 });
const isolated = (level: string) =>
  new Pool({ connectionString: DATABASE_URL, max: 12, options: `-c default_transaction_isolation=${level}` });
const repeatableRead = isolated('repeatable\\ read');
const serializable = isolated('serializable');
beforeAll(async () => {
  await Promise.all([migrate(db), migrate(db), migrate(db), migrate(db)]);
});
afterAll(() => Promise.all([db.end(), repeatableRead.end(), serializable.end()]));

runSqlCases('PostgreSQL', db);

const session = (id: string, accountId = 'id-ada') => ({
  id,
  accountId,
  authTime: NOW / 1_000,
  amr: ['pwd'],
  acr: 'aal1',
  startedAt: NOW,
  endsAt: NOW + 3_600_000,
});
const swap = (hash: string, next: string, graceMs: number) => ({
  hash,
  successor: { hash: next, idleUntil: NOW + 1_800_000 },
  sealedSuccessor: `sealed ${next}`,
  graceMs,
  now: NOW + 1_000,
});

const code = {
  ...{ clientId: 'app', accountId: 'id-ada', redirectUri: 'https://app.example.org/cb', codeChallenge: 'challenge' },
  ...{ scopes: ['create'], audience: [], authTime: NOW / 1_000, amr: ['pwd'], acr: 'aal1', loginSessionId: 'login' },
  ...{ issuedAt: NOW, expiresAt: NOW + 60_000 },
};
const KEEP = NOW + 3_600_000;

describe('races on 12 connections, 200 rounds of 50 parallel calls', () => {
  beforeEach(() => empty(db));

  it.each([
    { graceMs: 10_000, expected: { rotated: 200, repeated: 9_800 } },
    { graceMs: 0, expected: { rotated: 200, reused: 200, refused: 9_600 } },
  ])(
    'REF-15 rotate with a grace time of $graceMs ms',
    async ({ graceMs, expected }) => {
      const sessions = createSqlSessionStore(db);
      const counts: Record<string, number> = {};
      for (const round of ROUNDS) {
        await sessions.start(session(`s-${round}`), { hash: `t-${round}`, idleUntil: NOW + 1_800_000 });
        const rotations = await Promise.all(
          PARALLEL.map((index) => sessions.rotate(swap(`t-${round}`, `n-${round}-${index}`, graceMs))),
        );
        for (const { kind } of rotations) counts[kind] = (counts[kind] ?? 0) + 1;
      }
      expect(counts).toEqual(expected);
    },
    120_000,
  );

  it('REF-13 rotate against end: no live token once end was answered', async () => {
    const sessions = createSqlSessionStore(db);
    for (const round of ROUNDS) {
      await sessions.start(session(`s-${round}`), { hash: `t-${round}`, idleUntil: NOW + 1_800_000 });
      const rotations = PARALLEL.map((index) => sessions.rotate(swap(`t-${round}`, `n-${round}-${index}`, 10_000)));
      expect(await sessions.end(`s-${round}`)).toBe(true);
      await Promise.all(rotations);
    }
    const { rows } = await db.query('SELECT FROM doorward_refresh_tokens', []);
    expect(rows).toHaveLength(0);
  }, 120_000);

  it.each([
    ['read committed', db],
    ['repeatable read', repeatableRead],
    ['serializable', serializable],
  ])(
    'start against endAll under %s: no session from before it',
    async (level, isolatedDb) => {
      const sessions = createSqlSessionStore(isolatedDb);
      const failed = new Set<unknown>();
      for (const round of ROUNDS) {
        const accountId = `id-${round}`;
        // A floor that is there already is the harder case: no insertion of it can fail.
        await sessions.start({ ...session(`s-${round}`, accountId), startedAt: NOW - 1 });
        const starts = Promise.allSettled(
          PARALLEL.map((index) => sessions.start(session(`s-${round}-${index}`, accountId))),
        );
        const [ended] = await Promise.allSettled([sessions.endAll(accountId, NOW)]);
        const outcomes = [...(await starts), ended];
        for (const outcome of outcomes) if (outcome.status === 'rejected') failed.add(outcome.reason.code);
        if (ended.status === 'fulfilled') expect(await sessions.list(accountId, NOW)).toEqual([]);
      }
      expect([...failed]).toEqual(level === 'read committed' ? [] : ['40001']);
    },
    120_000,
  );

  it('once: one call of each round', async () => {
    const once = createSqlOnceStore(db);
    let granted = 0;
    for (const round of ROUNDS) {
      const answers = await Promise.all(PARALLEL.map(() => once.once(`key-${round}`, NOW + 1_000, NOW)));
      granted += answers.filter(Boolean).length;
    }
    expect(granted).toBe(200);
  }, 120_000);

  it('take: one call of each round, and every other names its session', async () => {
    const codes = createSqlCodeStore(db);
    for (const round of ROUNDS) {
      await codes.put(`code-${round}`, code, KEEP, NOW);
      const answers = await Promise.all(PARALLEL.map((index) => codes.take(`code-${round}`, `s-${index}`, 5, NOW)));
      const winner = answers.findIndex(({ kind }) => kind === 'taken');
      const others = answers.filter((_, index) => index !== winner);
      expect(others).toEqual(others.map(() => ({ kind: 'replayed', sessionId: `s-${winner}` })));
      expect(await codes.find(`code-${round}`, NOW)).toMatchObject({ takenBy: `s-${winner}`, replayed: true });
    }
  }, 120_000);

  it('take: one of 1,000 parallel calls', async () => {
    const codes = createSqlCodeStore(db);
    await codes.put('code', code, KEEP, NOW);
    const calls = Array.from({ length: 1_000 }, (_, index) => codes.take('code', `s-${index}`, 5, NOW));
    const kinds = (await Promise.all(calls)).map(({ kind }) => kind);
    expect([
      kinds.filter((kind) => kind === 'taken').length,
      kinds.filter((kind) => kind === 'replayed').length,
    ]).toEqual([1, 999]);
  }, 120_000);

  it('grant: 50 calls of each round, nothing is lost', async () => {
    const consents = createSqlConsentStore(db);
    for (const round of ROUNDS.slice(0, 50)) {
      await Promise.all(PARALLEL.map((index) => consents.grant('id-ada', `c-${round}`, [`scope-${index}`], NOW)));
      expect((await consents.find('id-ada', `c-${round}`))?.scopes).toHaveLength(50);
    }
  }, 120_000);

  it.each([
    ['repeatable read', repeatableRead],
    ['serializable', serializable],
  ])(
    'STO-05 take under %s: the losers fail or are told, and nobody wins twice',
    async (_level, isolatedDb) => {
      const codes = createSqlCodeStore(isolatedDb);
      for (const round of ROUNDS.slice(0, 20)) {
        await codes.put(`code-${round}`, code, KEEP, NOW);
        const answers = await Promise.allSettled(
          [...PARALLEL, ...PARALLEL].map((_, index) => codes.take(`code-${round}`, `s-${index}`, 5, NOW)),
        );
        const kinds = answers.map((answer) =>
          answer.status === 'fulfilled' ? answer.value.kind : (answer.reason as { code?: string }).code,
        );
        expect(kinds.filter((kind) => kind === 'taken')).toHaveLength(1);
        expect(kinds.filter((kind) => kind !== 'taken' && kind !== 'replayed' && kind !== '40001')).toEqual([]);
      }
    },
    120_000,
  );

  it('STO-05 under serializable isolation the losers fail, and nobody wins twice', async () => {
    const sessions = createSqlSessionStore(serializable);
    const once = createSqlOnceStore(serializable);
    for (const round of ROUNDS.slice(0, 20)) {
      await sessions.start(session(`s-${round}`, `id-${round}`), { hash: `t-${round}`, idleUntil: NOW + 1_800_000 });
      const rotations = await Promise.allSettled(
        [...PARALLEL, ...PARALLEL].map((_, index) =>
          sessions.rotate(swap(`t-${round}`, `n-${round}-${index}`, 10_000)),
        ),
      );
      const answers = await Promise.allSettled(
        [...PARALLEL, ...PARALLEL].map(() => once.once(`key-${round}`, NOW + 1_000, NOW)),
      );
      const kinds = rotations.map((rotation) =>
        rotation.status === 'fulfilled' ? rotation.value.kind : (rotation.reason as { code?: string }).code,
      );
      expect(kinds.filter((kind) => kind === 'rotated')).toHaveLength(1);
      expect(kinds.filter((kind) => kind !== 'rotated' && kind !== 'repeated' && kind !== '40001')).toEqual([]);
      expect(answers.filter((answer) => answer.status === 'fulfilled' && answer.value)).toHaveLength(1);
    }
  }, 120_000);
});
