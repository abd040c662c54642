import { inspect } from 'node:util';
import { PGlite } from '@electric-sql/pglite';
import { DoorwardError, isDoorwardError } from 'doorward';
import { type AccountStore, type RateLimitStore, usernameKey } from 'doorward/accounts';
import { createBcryptHasher, type PasswordHasher } from 'doorward/passwords';
import { createMemoryRateLimitStore } from 'doorward/stores/memory';
import { createSqlAccountStore, createSqlRateLimitStore, migrate } from 'doorward/stores/sql';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { createWorld, outcome, PASSWORD, START, untyped, type World } from '../accounts/fixture.ts';

const WINDOW = 900_000;
const bcrypt = createBcryptHasher({ cost: 4, workers: 1, queueLimit: 10_000 });
afterAll(() => bcrypt.close());

/** A hasher that refuses while it is told to be full, as one does whose queue is. */
function fillable(): { hasher: PasswordHasher; full: { now: boolean } } {
  const full = { now: false };
  const verify: PasswordHasher['verify'] = (password, stored) =>
    full.now
      ? Promise.reject(new DoorwardError('SERVICE_BUSY', { retryAfterSeconds: 1 }))
      : bcrypt.verify(password, stored);
  return { full, hasher: { ...bcrypt, verify } };
}

async function lock(world: World, username: string): Promise<void> {
  for (let i = 0; i < 10; i += 1) await outcome(world.login(username, `wrong ${i}`, `192.0.2.${i}`));
  expect(await outcome(world.login(username))).toBe('HTTP_TOO_MANY_REQUESTS');
}

describe('attacks on the login guard', () => {
  it('DOS-11 attempts that cost nothing, because the queue is full, do not make the guard forget an account', async () => {
    const { hasher, full } = fillable();
    const world = createWorld({ hasher, limits: createMemoryRateLimitStore({ maxKeys: 100 }) });
    await world.register();
    await lock(world, 'ada');
    full.now = true;
    for (let i = 0; i < 500; i += 1) {
      expect(await outcome(world.login(`user${i}`, 'wrong', `2001:db8:0:${i}::1`))).toBe('SERVICE_BUSY');
    }
    full.now = false;
    expect(await outcome(world.login())).toBe('HTTP_TOO_MANY_REQUESTS');
  });

  it('DOS-11 logging in to an own account from many addresses does not make the guard forget another', async () => {
    const world = createWorld({ limits: createMemoryRateLimitStore({ maxKeys: 100 }) });
    await world.register();
    await world.register('mallory');
    await lock(world, 'ada');
    for (let i = 0; i < 200; i += 1) {
      expect(await outcome(world.login('mallory', PASSWORD, `2001:db8:0:${i}::1`))).toBe('ok');
    }
    expect(await outcome(world.login())).toBe('HTTP_TOO_MANY_REQUESTS');
  }, 120_000);

  it('DOS-11 attempts that are taken back do not fill the database', async () => {
    const db = new PGlite();
    await migrate(db);
    const { hasher, full } = fillable();
    const world = createWorld({ hasher, limits: createSqlRateLimitStore(db) });
    full.now = true;
    for (let i = 0; i < 300; i += 1) await outcome(world.login(`user${i}`, 'wrong', `2001:db8:0:${i}::1`));
    const { rows } = await db.query<{ n: number }>('SELECT count(*)::int AS n FROM doorward_rate_limits');
    expect(rows[0]?.n).toBeLessThan(100);
    await db.close();
  }, 120_000);

  it('LOG-19 no order of counting and taking back lets more than the limit be guessed, or forgets a guess', async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), fc.array(fc.boolean(), { minLength: 8, maxLength: 16 }), async (s, guesses) => {
        const memory = createMemoryRateLimitStore();
        const limits: RateLimitStore = {
          hit: s.scheduleFunction(memory.hit),
          release: s.scheduleFunction(memory.release),
        };
        const world = createWorld({ limits, loginMaxFailures: 5 });
        await world.register();
        const attempts = guesses.map((isRight) => outcome(world.login('ada', isRight ? PASSWORD : 'wrong')));
        const outcomes = await s.waitFor(Promise.all(attempts));
        const failed = outcomes.filter((result) => result === 'AUTH_INVALID_CREDENTIALS').length;
        expect(failed).toBeLessThanOrEqual(5);
        for (let left = 5 - failed; left > 0; left -= 1) {
          expect(await s.waitFor(outcome(world.login('ada', 'wrong')))).toBe('AUTH_INVALID_CREDENTIALS');
        }
        expect(await s.waitFor(outcome(world.login()))).toBe('HTTP_TOO_MANY_REQUESTS');
      }),
      { numRuns: 25 },
    );
  });

  it('a login begun in one window takes nothing back from the next', async () => {
    const waiting: (() => void)[] = [];
    let isHeld = true;
    const verify: PasswordHasher['verify'] = async (password, stored) => {
      if (isHeld) await new Promise<void>((resolve) => waiting.push(resolve));
      return bcrypt.verify(password, stored);
    };
    const world = createWorld({ hasher: { ...bcrypt, verify }, loginMaxFailures: 2 });
    await world.register();
    const early = [world.login(), world.login()];
    await expect.poll(() => waiting.length).toBe(2);
    isHeld = false;
    world.time.now = START + WINDOW;
    for (let i = 0; i < 2; i += 1) expect(await outcome(world.login('ada', 'wrong'))).toBe('AUTH_INVALID_CREDENTIALS');
    for (const resolve of waiting) resolve();
    await Promise.all(early);
    expect(await outcome(world.login())).toBe('HTTP_TOO_MANY_REQUESTS');
  });

  it('LOG-18 every text that names an account counts against that account', async () => {
    const world = createWorld();
    await world.register('kim');
    const spellings = [
      'kim',
      'KIM',
      'Kim',
      '\u212aim',
      'k\u0131m',
      'K\u0130M',
      'ｋｉｍ',
      '𝐤𝐢𝐦',
      'ᵏim',
      '\u212A\u0130M',
    ];
    for (const name of spellings) expect(await outcome(world.login(name, 'wrong'))).toBe('AUTH_INVALID_CREDENTIALS');
    for (const name of spellings) expect(await outcome(world.login(name))).toBe('HTTP_TOO_MANY_REQUESTS');
  });
});

describe('attacks on names', () => {
  const doubles = [
    ...['ADMIN', 'adm\u0131n', 'adm\u0130n', 'ａｄｍｉｎ', '𝐚𝐝𝐦𝐢𝐧', 'ᵃdmin', 'admⁱn', 'adⅿin', '\u{1d68a}dmin'],
    ...['\u0430dmin', 'adm\u0456n', '\u03b1dmin', 'admi\u0578', 'аdmіn', '\u13a0dmin', '\u{10401}dmin'],
    ...['admin\u200b', 'ad\u00admin', 'admin\u3164', 'admin\u034f', 'admin\ufe0f', '\ufeffadmin', 'admin\u2028'],
    ...[
      'admin ',
      ' admin',
      'admin\0',
      'admin\u0307',
      'a\u0301dmin\u0301',
      'ⓐdmin',
      '\u202enimda',
      'admin\ud800',
      'admin/',
    ],
  ];

  it.each(doubles)('LOG-08 LOG-11 nobody registers %j beside admin', async (double) => {
    const world = createWorld();
    await world.register('admin');
    expect(['INPUT_INVALID', 'ACCOUNT_EXISTS']).toContain(await outcome(world.register(double)));
  });

  it('LOG-08 the key of every name that can be registered is the key of its own key', async () => {
    const world = createWorld();
    const letter = fc.constantFrom(...'aZßẞſıİK.-_@+7ﬀǅᾳΣςσάΆｶガЖжյաＡ𝐀'.normalize('NFC'));
    await fc.assert(
      fc.asyncProperty(fc.array(letter, { minLength: 1, maxLength: 8 }), async (letters) => {
        const name = letters.join('');
        const result = await outcome(world.register(name));
        fc.pre(result !== 'INPUT_INVALID');
        const key = usernameKey(name);
        expect(usernameKey(key)).toBe(key);
        for (const variant of [name, name.toUpperCase(), name.toLowerCase(), name.normalize('NFKC'), key]) {
          expect(['INPUT_INVALID', 'ACCOUNT_EXISTS']).toContain(await outcome(world.register(variant)));
        }
      }),
    );
  }, 120_000);
});

describe('attacks on time', () => {
  it('REF-02 D6 a token refreshed while its account is removed and its name taken again is good for nothing', async () => {
    const world = createWorld();
    const { id } = await world.register();
    const { accessToken } = await world.login();
    const refreshing = world.accounts.refresh(accessToken);
    await world.accounts.remove(id);
    await world.register();
    const refreshed = await refreshing.catch(() => undefined);
    for (const token of [accessToken, refreshed?.accessToken ?? accessToken]) {
      expect(await world.accounts.authenticate(token)).toEqual({ ok: false, reason: 'unknown_account' });
      expect(await outcome(world.accounts.refresh(token))).toBe('AUTH_NOT_AUTHENTICATED');
    }
  });

  it('LOG-17 a login that overtakes its account being disabled yields a token that is refused', async () => {
    const world = createWorld();
    const { id } = await world.register();
    const login = world.login();
    await world.accounts.disable(id);
    const token = await login.then(({ accessToken }) => accessToken).catch(() => undefined);
    if (token !== undefined) {
      expect(await world.accounts.authenticate(token)).toEqual({ ok: false, reason: 'disabled_account' });
    }
    expect(await outcome(world.login())).toBe('AUTH_INVALID_CREDENTIALS');
  });

  it('STO-06 a store that fails after its deadline rejects nothing that nobody handles', async () => {
    const unhandled: unknown[] = [];
    const listen = (reason: unknown) => unhandled.push(reason);
    process.on('unhandledRejection', listen);
    let failures = 0;
    const late = () =>
      new Promise<never>((_, reject) =>
        setTimeout(() => {
          failures += 1;
          reject(new Error('too late'));
        }, 30),
      );
    const store: AccountStore = {
      create: late,
      byId: late,
      byUsernameKey: late,
      update: late,
      replacePasswordHash: late,
      remove: late,
    };
    const good = createWorld();
    await good.register();
    const { accessToken } = await good.login();
    const world = createWorld({ store, storeTimeoutMs: 5 });
    const guarded = createWorld({ limits: { hit: late, release: late }, storeTimeoutMs: 5 });
    const calls = [
      world.login(),
      world.register(),
      world.accounts.refresh(accessToken),
      Promise.resolve(world.accounts.authenticate(accessToken)),
      world.accounts.byId('id'),
      world.accounts.remove('id'),
      world.accounts.disable('id'),
      guarded.login(),
    ];
    expect(new Set(await Promise.all(calls.map(outcome)))).toEqual(new Set(['SERVICE_UNAVAILABLE']));
    await expect.poll(() => failures).toBe(calls.length);
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', listen);
    expect(unhandled).toEqual([]);
  });
});

describe('attacks by listeners that fail', () => {
  it.each([
    [
      'throws',
      () => {
        throw new Error('the bus is down');
      },
    ],
    ['rejects', () => Promise.reject(new Error('the bus is down'))],
    ['never answers', () => new Promise<never>(() => {})],
  ])('JWT-32 an onRevoked that %s neither ends the process nor keeps the account open', async (_, onRevoked) => {
    const world = createWorld({ onRevoked, storeTimeoutMs: 20 });
    const { id } = await world.register();
    const { accessToken } = await world.login();
    expect(await outcome(world.accounts.disable(id))).toBe('SERVICE_UNAVAILABLE');
    expect(await world.accounts.authenticate(accessToken)).toEqual({ ok: false, reason: 'disabled_account' });
    expect(await outcome(world.accounts.remove(id))).toBe('SERVICE_UNAVAILABLE');
    expect(await world.accounts.authenticate(accessToken)).toEqual({ ok: false, reason: 'unknown_account' });
    await new Promise((resolve) => setImmediate(resolve));
  });
});

describe('what errors give away', () => {
  it('AUD-05 a failing database gives away neither hash nor e-mail address, however an error is inspected', async () => {
    const db = new PGlite();
    await migrate(db);
    const world = createWorld({ store: createSqlAccountStore(db), ids: () => 'the same' });
    await world.register();
    const faults = [
      'SELECT 1',
      "ALTER TABLE doorward_accounts ADD CHECK (username_key <> 'bob')",
      'DROP TABLE doorward_accounts',
    ];
    for (const fault of faults) {
      await db.exec(fault);
      const error = await world.register('bob').catch((caught) => caught);
      expect(error).toMatchObject({
        code: 'SERVICE_UNAVAILABLE',
        cause: { code: expect.stringMatching(/^[\dA-Z]{5}$/) },
      });
      const shown = inspect(error, { depth: null, showHidden: true });
      for (const secret of ['$2b$', 'ada@example.org', PASSWORD]) expect(shown).not.toContain(secret);
    }
    await db.close();
  }, 120_000);

  it('LOG-12 AUD-05 no refusal repeats the password', async () => {
    const { hasher, full } = fillable();
    const world = createWorld({ hasher, loginMaxFailures: 1 });
    const secrets = ['sunshine', 'needle\0needle', 'needle', 'n'.repeat(1_025), 'needle needle\ud800', 'needle needle'];
    const errors: unknown[] = [];
    for (const password of secrets) {
      const attempt = { username: 'needles', password, email: 'ada@example.org' };
      errors.push(await world.accounts.register(attempt).catch((caught) => caught));
      errors.push(await world.accounts.login(attempt).catch((caught) => caught));
    }
    full.now = true;
    errors.push(await world.login('other', 'needle needle').catch((caught) => caught));
    const refusals = errors.filter(isDoorwardError);
    expect(new Set(refusals.map(({ code }) => code)).size).toBeGreaterThanOrEqual(4);
    const shown = inspect([refusals, world.audit, world.accounts, hasher], { depth: null, showHidden: true });
    for (const secret of ['sunshine', 'needle needle', 'needle\0', 'nnnnnnnn', '$2b$'])
      expect(shown).not.toContain(secret);
  });
});

describe('odd answers of stores', () => {
  it.each([0, -1, 1.5, Number.MIN_SAFE_INTEGER, '1', 1n, null])(
    'a count of %s never opens the door uncounted',
    async (count) => {
      const limits = { hit: async () => untyped<never>({ count, resetAt: START }), release: async () => {} };
      const world = createWorld({ limits });
      await world.register();
      expect(await outcome(world.login())).toBe('SERVICE_UNAVAILABLE');
      expect(world.evaluations.verify).toBe(0);
    },
  );
});
