import { setTimeout } from 'node:timers/promises';
import { PGlite } from '@electric-sql/pglite';
import { createArgon2Hasher } from 'doorward/argon2';
import { combineHashers, createBcryptHasher, type PasswordHasher } from 'doorward/passwords';
import { createMemorySessionStore } from 'doorward/stores/memory';
import { createSqlSessionStore, migrate } from 'doorward/stores/sql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const PASSWORD = 'correct horse battery staple';
const PEPPER = { id: 'k1', secret: 'eGlBsE4HOZM9sC0pJPGv6mWzq3Wn1dKf' };
/** What a JSON body can hold where a password is expected. */
const NO_TEXTS: readonly unknown[] = [['correct horse'], [['x']], { length: 9 }, 12_345_678, true, null, undefined];

const argon2 = (peppers = [] as (typeof PEPPER)[]) =>
  createArgon2Hasher({ memoryKiB: 16, passes: 1, concurrency: 1, peppers });
const bcrypt = (peppers = [] as (typeof PEPPER)[]) => createBcryptHasher({ cost: 4, workers: 1, peppers });
const HASHERS: readonly (readonly [string, () => PasswordHasher])[] = [
  ['bcrypt', bcrypt],
  ['bcrypt with a pepper', () => bcrypt([PEPPER])],
  ['Argon2id', argon2],
  ['Argon2id with a pepper', () => argon2([PEPPER])],
  ['Argon2id before bcrypt', () => combineHashers(argon2(), bcrypt())],
  ['bcrypt before Argon2id', () => combineHashers(bcrypt(), argon2())],
];

describe.each(HASHERS)('%s', (_, open) => {
  it('DOS-02 takes no password that is no text, and goes on working after a flood of them', async () => {
    const hasher = open();
    const stored = await hasher.hash(PASSWORD);
    for (const password of NO_TEXTS) {
      await expect(hasher.hash(password as string)).rejects.toMatchObject({ code: 'INPUT_INVALID' });
    }
    // At once, so that some of them wait behind others.
    const flood = [...NO_TEXTS, ...NO_TEXTS].map((password) => hasher.verify(password as string, stored));
    expect(new Set(await Promise.all(flood))).toEqual(new Set(['mismatch']));
    const login = hasher.verify(PASSWORD, stored);
    expect(await Promise.race([login, setTimeout(15_000, 'no answer')])).toBe('match');
    await hasher.close();
  }, 120_000);

  it('TIM-04 a column that is NULL, or no text, is a corrupt hash and no exception', async () => {
    const hasher = open();
    for (const stored of [null, 5, {}, [], true] as unknown[]) {
      expect(await hasher.verify(PASSWORD, stored as string)).toBe('corrupt');
      expect(hasher.recognises(stored as string)).toBe(false);
      expect(hasher.needsRehash(stored as string)).toBe(true);
    }
    await hasher.close();
  });

  it('LOG-16 what hash makes is current: no login renews it again', async () => {
    const hasher = open();
    for (const password of [PASSWORD, 'p'.repeat(73), '🐎'.repeat(1_024)]) {
      const stored = await hasher.hash(password);
      expect(hasher.needsRehash(stored)).toBe(false);
      expect(await hasher.verify(password, stored)).toBe('match');
    }
    await hasher.close();
  });

  it.each([
    ['an empty form', (hash: string) => `$dw2$${hash}`],
    ['a pepper that is not configured', (hash: string) => `$dw2$k2${hash}`],
    ['two forms', (hash: string) => `$dw1$dw1${hash}`],
    ['a form within a pepper', (hash: string) => `$dw2$k1$dw1${hash}`],
    ['a longer pepper id', (hash: string) => `$dw2$k1${'k'.repeat(15)}${hash}`],
    ['an inherited name as pepper id', (hash: string) => `$dw2$constructor${hash}`],
    ['a line end before it', (hash: string) => `\n${hash}`],
    ['a line end behind it', (hash: string) => `${hash}\n`],
    ['NUL behind it', (hash: string) => `${hash}\0`],
  ])('LOG-15 a hash under %s is corrupt', async (_name, forge) => {
    const hasher = open();
    const stored = await hasher.hash(PASSWORD);
    const hash = stored.replace(/^\$dw2\$k1/, '');
    expect(await hasher.verify(PASSWORD, forge(hash))).toBe('corrupt');
    await hasher.close();
  });
});

describe.each([
  ['createBcryptHasher', createBcryptHasher],
  ['createArgon2Hasher', createArgon2Hasher],
])('%s', (_, create) => {
  it.each([
    ['undefined', undefined],
    ['null', null],
    ['a text', PEPPER.secret],
    ['one pepper', PEPPER],
    ['a hole', [undefined]],
    ['a secret that is missing', [{ id: 'k1', secret: undefined }]],
  ])('refuses %s as peppers: no hash is stored without one by mistake', (_name, peppers) => {
    expect(() => create({ peppers: peppers as never })).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', field: 'peppers' }),
    );
  });
});

describe('sessions', () => {
  const NOW = 1_000_000_000_000;
  const db = new PGlite();
  beforeAll(() => migrate(db));
  afterAll(() => db.close());

  it.each([
    ['memory', createMemorySessionStore],
    ['SQL', () => createSqlSessionStore(db)],
  ])(
    'REF-15 in %s: a stolen token buys nothing without grace on a server whose clock is behind',
    async (name, open) => {
      const sessions = open();
      const [id, accountId, first] = [`s-${name}`, `id-${name}`, `first-${name}`];
      const login = { authTime: NOW / 1_000, amr: ['pwd'], acr: 'aal1', startedAt: NOW, endsAt: NOW + 3_600_000 };
      const swap = (next: string, now: number) => ({
        hash: first,
        successor: { hash: `${next}-${name}`, idleUntil: NOW + 1_800_000 },
        sealedSuccessor: `sealed ${next}`,
        graceMs: 0,
        now,
      });
      await sessions.start({ id, accountId, ...login }, { hash: first, idleUntil: NOW + 1_800_000 });
      expect(await sessions.rotate(swap('second', NOW + 1_000))).toMatchObject({ kind: 'rotated' });
      expect(await sessions.rotate(swap('eve', NOW + 999))).toMatchObject({ kind: 'reused' });
      expect(await sessions.find(id, 'token', NOW + 1_000)).toBeUndefined();
    },
  );
});
