import type { Account, AccountStore, RateLimitStore } from 'doorward/accounts';
import { describe, expect, it } from 'vitest';

/** Opens stores that hold nothing yet. */
export type OpenStores = () => Promise<{ readonly accounts: AccountStore; readonly limits: RateLimitStore }>;

const PARALLEL = Array.from({ length: 50 }, (_, index) => index);
const NOW = 1_790_000_000_000;

function account(fields: Partial<Account> = {}): Account {
  return {
    id: 'id-ada',
    username: 'Ada',
    usernameKey: 'ada',
    email: 'ada@example.org',
    passwordHash: '$2b$04$......................aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
    roles: ['viewer'],
    department: 'sales',
    disabled: false,
    createdAt: NOW,
    ...fields,
  };
}

/** What every pair of stores has to do; `null` stands for absent where a database says so. */
export function describeStores(name: string, open: OpenStores): void {
  const show = (found: Account | undefined) =>
    found && Object.fromEntries(Object.entries(found).filter(([, value]) => value !== null));

  describe(`${name} account store`, () => {
    it('gives back what was created, by id and by username key', async () => {
      const { accounts } = await open();
      expect(await accounts.create(account())).toBe(true);
      expect(show(await accounts.byId('id-ada'))).toEqual(account());
      expect(show(await accounts.byUsernameKey('ada'))).toEqual(account());
    });

    it('gives back an account without e-mail address, department and roles', async () => {
      const { accounts } = await open();
      const { email, department, ...bare } = account({ roles: [] });
      await accounts.create(bare);
      expect(show(await accounts.byId('id-ada'))).toEqual(bare);
    });

    it('answers undefined, undefined and false for what it does not hold', async () => {
      const { accounts } = await open();
      await accounts.create(account());
      for (const key of ['', 'nobody', 'ADA', 'ada ', '__proto__', 'constructor', "' OR 1=1--"]) {
        expect(await accounts.byId(key)).toBeUndefined();
        expect(await accounts.byUsernameKey(key)).toBeUndefined();
        expect(await accounts.update(key, { disabled: true })).toBeUndefined();
        expect(await accounts.remove(key)).toBe(false);
      }
      expect(show(await accounts.byId('id-ada'))).toEqual(account());
    });

    it('keeps hostile texts exactly and apart', async () => {
      const { accounts } = await open();
      const names = ['__proto__', "a'; DROP TABLE doorward_accounts; --", '$1', '{"a":1}', 'é', 'e\u0301', '😀'];
      for (const text of names) {
        expect(
          await accounts.create(account({ id: text, username: text, usernameKey: text, roles: [text], email: text })),
        ).toBe(true);
      }
      for (const text of names) {
        expect(show(await accounts.byUsernameKey(text))).toMatchObject({
          id: text,
          username: text,
          roles: [text],
          email: text,
        });
      }
    });

    it('refuses a username key that is taken, and keeps the first account', async () => {
      const { accounts } = await open();
      await accounts.create(account());
      expect(await accounts.create(account({ id: 'id-other', username: 'ADA' }))).toBe(false);
      expect(await accounts.byId('id-other')).toBeUndefined();
      expect(show(await accounts.byUsernameKey('ada'))).toEqual(account());
    });

    it('never overwrites an account whose id is used a second time', async () => {
      const { accounts } = await open();
      await accounts.create(account());
      await expect(accounts.create(account({ username: 'Eve', usernameKey: 'eve' }))).rejects.toThrow();
      expect(show(await accounts.byId('id-ada'))).toEqual(account());
      expect(await accounts.byUsernameKey('eve')).toBeUndefined();
    });

    it('lets one of 50 parallel creations of a username win', async () => {
      const { accounts } = await open();
      const added = await Promise.all(PARALLEL.map((index) => accounts.create(account({ id: `id-${index}` }))));
      expect(added.filter(Boolean)).toHaveLength(1);
      expect((await accounts.byUsernameKey('ada'))?.id).toBe(`id-${added.indexOf(true)}`);
    });

    it.each([
      [{ roles: ['admin', 'viewer'] }],
      [{ roles: [] }],
      [{ department: 'research' }],
      [{ disabled: true }],
      [{ roles: ['editor'], department: 'research', disabled: true }],
      [{}],
    ])('updates exactly the given fields: %j', async (patch) => {
      const { accounts } = await open();
      await accounts.create(account());
      await accounts.create(account({ id: 'id-bob', username: 'Bob', usernameKey: 'bob' }));
      expect(show(await accounts.update('id-ada', patch))).toEqual(account(patch));
      expect(show(await accounts.byId('id-ada'))).toEqual(account(patch));
      expect(show(await accounts.byId('id-bob'))).toEqual(
        account({ id: 'id-bob', username: 'Bob', usernameKey: 'bob' }),
      );
    });

    it('clears a department', async () => {
      const { accounts } = await open();
      await accounts.create(account());
      expect(show(await accounts.update('id-ada', { department: null }))).not.toHaveProperty('department');
      expect(show(await accounts.byId('id-ada'))).not.toHaveProperty('department');
    });

    it('writes no field but the changeable ones, whatever a patch carries', async () => {
      const { accounts } = await open();
      await accounts.create(account());
      await accounts.update('id-ada', {
        disabled: true,
        id: 'id-eve',
        passwordHash: 'x',
        usernameKey: 'eve',
      } as object);
      expect(show(await accounts.byId('id-ada'))).toEqual(account({ disabled: true }));
      expect(await accounts.byId('id-eve')).toBeUndefined();
    });

    it('loses none of 50 parallel updates of different fields', async () => {
      const { accounts } = await open();
      await accounts.create(account());
      const patches = [{ disabled: true }, { department: 'research' }, { roles: ['editor'] }];
      await Promise.all(PARALLEL.map((index) => accounts.update('id-ada', patches[index % 3] ?? {})));
      expect(show(await accounts.byId('id-ada'))).toEqual(account(Object.assign({}, ...patches)));
    });

    it('lets one of 50 parallel removals win, and frees the username', async () => {
      const { accounts } = await open();
      await accounts.create(account());
      const removed = await Promise.all(PARALLEL.map(() => accounts.remove('id-ada')));
      expect(removed.filter(Boolean)).toHaveLength(1);
      expect(await accounts.byUsernameKey('ada')).toBeUndefined();
      expect(await accounts.create(account({ id: 'id-new' }))).toBe(true);
      expect(await accounts.byId('id-ada')).toBeUndefined();
    });

    it('is not changed through what was put in or taken out', async () => {
      const { accounts } = await open();
      const roles = ['viewer'];
      await accounts.create(account({ roles }));
      roles.push('admin');
      const taken = await accounts.byId('id-ada');
      try {
        Object.assign(taken ?? {}, { disabled: true });
        Array.prototype.push.call(taken?.roles, 'admin');
      } catch {}
      expect(show(await accounts.byId('id-ada'))).toEqual(account());
    });
  });

  describe(`${name} rate limit store`, () => {
    it('counts the hits of a window that opens with the first', async () => {
      const { limits } = await open();
      expect(await limits.hit('key', 1_000, NOW)).toEqual({ count: 1, resetAt: NOW + 1_000 });
      expect(await limits.hit('key', 1_000, NOW + 1)).toEqual({ count: 2, resetAt: NOW + 1_000 });
      expect(await limits.hit('key', 9_999, NOW + 999)).toEqual({ count: 3, resetAt: NOW + 1_000 });
    });

    it('starts again at the millisecond at which the window ends', async () => {
      const { limits } = await open();
      await limits.hit('key', 1_000, NOW);
      await limits.hit('key', 1_000, NOW + 500);
      expect(await limits.hit('key', 1_000, NOW + 1_000)).toEqual({ count: 1, resetAt: NOW + 2_000 });
    });

    it('counts every key by itself', async () => {
      const { limits } = await open();
      for (const key of ['a', 'A', 'a ', '__proto__', 'constructor', "'; --"]) {
        expect((await limits.hit(key, 1_000, NOW)).count).toBe(1);
      }
    });

    it('counts each of 50 parallel hits once', async () => {
      const { limits } = await open();
      const hits = await Promise.all(PARALLEL.map(() => limits.hit('key', 1_000, NOW)));
      expect(hits.map(({ count }) => count).sort((a, b) => a - b)).toEqual(PARALLEL.map((index) => index + 1));
    });

    it('reopens an ended window once for 50 parallel hits', async () => {
      const { limits } = await open();
      for (const _ of [1, 2, 3]) await limits.hit('key', 1_000, NOW);
      const hits = await Promise.all(PARALLEL.map(() => limits.hit('key', 1_000, NOW + 5_000)));
      expect(hits.map(({ count }) => count).sort((a, b) => a - b)).toEqual(PARALLEL.map((index) => index + 1));
      expect(new Set(hits.map(({ resetAt }) => resetAt))).toEqual(new Set([NOW + 6_000]));
    });

    it('takes back each of 50 parallel releases once', async () => {
      const { limits } = await open();
      for (const _ of [...PARALLEL, 'one more']) await limits.hit('key', 1_000, NOW);
      await Promise.all(PARALLEL.map(() => limits.release('key', NOW + 1_000)));
      expect((await limits.hit('key', 1_000, NOW)).count).toBe(2);
    });

    it('never counts below zero', async () => {
      const { limits } = await open();
      await limits.release('key', NOW + 1_000);
      await limits.hit('key', 1_000, NOW);
      for (const _ of [1, 2, 3]) await limits.release('key', NOW + 1_000);
      expect((await limits.hit('key', 1_000, NOW)).count).toBe(1);
    });

    it('closes a window with its last hit', async () => {
      const { limits } = await open();
      await limits.hit('key', 1_000, NOW);
      await limits.release('key', NOW + 1_000);
      expect(await limits.hit('key', 1_000, NOW + 400)).toEqual({ count: 1, resetAt: NOW + 1_400 });
    });

    it('takes a hit back that a later one was faster than', async () => {
      const { limits } = await open();
      await limits.hit('key', 1_000, NOW + 5);
      const { resetAt } = await limits.hit('key', 1_000, NOW);
      await limits.release('key', resetAt);
      expect((await limits.hit('key', 1_000, NOW + 6)).count).toBe(2);
    });

    it('takes no hit back from a later window', async () => {
      const { limits } = await open();
      await limits.hit('key', 1_000, NOW);
      await limits.hit('key', 1_000, NOW + 2_000);
      await limits.release('key', NOW + 1_000);
      expect((await limits.hit('key', 1_000, NOW + 2_001)).count).toBe(2);
    });
  });
}
