import assert from 'node:assert/strict';
import type { Account, AccountPatch, AccountStore } from '../accounts/index.ts';
import { deface, granted, HOSTILE, isRefused, NOW, parallel, withoutNulls } from './parallel.ts';
import { parallelWithFaults } from './parallel-with-faults.ts';
import { type Checks, casesOf, type OpenStore, type StoreCase } from './store-case.ts';

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

const bob: Account = account({ id: 'id-bob', username: 'Bob', usernameKey: 'bob' });

/** One check for each combination of fields that can change. */
function updateChecks(): Checks<AccountStore> {
  const patches: readonly AccountPatch[] = [
    { roles: ['admin', 'viewer'] },
    { roles: [] },
    { department: 'research' },
    { disabled: true },
    { roles: ['editor'], department: 'research', disabled: true },
    {},
  ];
  return Object.fromEntries(
    patches.map((patch) => [
      `updates exactly the given fields: ${JSON.stringify(patch)}`,
      async (store: AccountStore) => {
        await store.create(account());
        await store.create(bob);
        const after = account(patch as Partial<Account>);
        assert.deepEqual(withoutNulls(await store.update('id-ada', patch)), after);
        assert.deepEqual(withoutNulls(await store.byId('id-ada')), after);
        assert.deepEqual(withoutNulls(await store.byId('id-bob')), bob);
      },
    ]),
  );
}

/**
 * What every account store has to do; `null` may stand for what is absent.
 *
 * @example
 * for (const { name, run } of accountStoreCases(() => createMemoryAccountStore())) runner.test(name, run);
 */
export function accountStoreCases(open: OpenStore<AccountStore>): readonly StoreCase[] {
  return casesOf(open, {
    async 'gives back what was created, by id and by username key'(store) {
      assert.equal(await store.create(account()), true);
      assert.deepEqual(withoutNulls(await store.byId('id-ada')), account());
      assert.deepEqual(withoutNulls(await store.byUsernameKey('ada')), account());
    },
    async 'gives back an account without e-mail address, department and roles'(store) {
      const { email, department, ...bare } = account({ roles: [] });
      await store.create(bare);
      assert.deepEqual(withoutNulls(await store.byId('id-ada')), bare);
    },
    async 'answers undefined, undefined and false for what it does not hold'(store) {
      await store.create(account());
      for (const key of ['', 'nobody', 'ADA', 'ada ', ...HOSTILE]) {
        assert.equal(withoutNulls(await store.byId(key)), undefined);
        assert.equal(withoutNulls(await store.byUsernameKey(key)), undefined);
        assert.equal(withoutNulls(await store.update(key, { disabled: true })), undefined);
        assert.equal(await store.remove(key), false);
      }
      assert.deepEqual(withoutNulls(await store.byId('id-ada')), account());
    },
    async 'keeps hostile texts exactly and apart'(store) {
      const accounts = HOSTILE.map((text) =>
        account({ id: text, username: text, usernameKey: text, roles: [text], email: text }),
      );
      for (const record of accounts) assert.equal(await store.create(record), true);
      for (const record of accounts) {
        assert.deepEqual(withoutNulls(await store.byUsernameKey(record.usernameKey)), record);
        assert.deepEqual(withoutNulls(await store.byId(record.id)), record);
      }
    },
    async 'refuses a username key that is taken, and keeps the first account'(store) {
      await store.create(account());
      assert.equal(await store.create(account({ id: 'id-other', username: 'ADA' })), false);
      assert.equal(withoutNulls(await store.byId('id-other')), undefined);
      assert.deepEqual(withoutNulls(await store.byUsernameKey('ada')), account());
    },
    async 'never overwrites an account whose id is used a second time'(store) {
      await store.create(account());
      assert.ok(await isRefused(() => store.create(account({ username: 'Eve', usernameKey: 'eve' }))));
      assert.deepEqual(withoutNulls(await store.byId('id-ada')), account());
      assert.equal(withoutNulls(await store.byUsernameKey('eve')), undefined);
    },
    async 'lets one of 50 parallel creations of a username win'(store) {
      const added = await parallel((index) => store.create(account({ id: `id-${index}` })));
      assert.equal(granted(added), 1);
      assert.equal((await store.byUsernameKey('ada'))?.id, `id-${added.indexOf(true)}`);
    },
    ...updateChecks(),
    async 'clears a department'(store) {
      const { department, ...cleared } = account();
      await store.create(account());
      assert.deepEqual(withoutNulls(await store.update('id-ada', { department: null })), cleared);
      assert.deepEqual(withoutNulls(await store.byId('id-ada')), cleared);
    },
    async 'writes no field but the changeable ones, whatever a patch carries'(store) {
      await store.create(account());
      const patch = { disabled: true, id: 'id-eve', passwordHash: 'x', usernameKey: 'eve' };
      await store.update('id-ada', patch);
      assert.deepEqual(withoutNulls(await store.byId('id-ada')), account({ disabled: true }));
      assert.equal(withoutNulls(await store.byId('id-eve')), undefined);
    },
    async 'loses none of 50 parallel updates of different fields'(store) {
      await store.create(account());
      const patches = [{ disabled: true }, { department: 'research' }, { roles: ['editor'] }];
      await parallel((index) => store.update('id-ada', patches[index % 3] ?? {}));
      assert.deepEqual(withoutNulls(await store.byId('id-ada')), account(Object.assign({}, ...patches)));
    },
    async 'replaces a password hash that is still exactly the expected one'(store) {
      const { passwordHash } = account();
      await store.create(account());
      await store.create(bob);
      for (const expected of ['', `${passwordHash} `, passwordHash.toUpperCase(), '%']) {
        assert.equal(await store.replacePasswordHash('id-ada', expected, 'hash-eve'), false);
      }
      for (const id of ['', 'ID-ADA', ...HOSTILE]) {
        assert.equal(await store.replacePasswordHash(id, passwordHash, 'hash-eve'), false);
      }
      assert.deepEqual(withoutNulls(await store.byId('id-ada')), account());
      assert.equal(await store.replacePasswordHash('id-ada', passwordHash, 'hash-2'), true);
      assert.equal(await store.replacePasswordHash('id-ada', passwordHash, 'hash-3'), false);
      assert.deepEqual(withoutNulls(await store.byId('id-ada')), account({ passwordHash: 'hash-2' }));
      assert.deepEqual(withoutNulls(await store.byUsernameKey('ada')), account({ passwordHash: 'hash-2' }));
      assert.deepEqual(withoutNulls(await store.byId('id-bob')), bob);
    },
    async 'replaces a password hash for one of 50 parallel calls'(store) {
      const { passwordHash } = account();
      await store.create(account());
      const replaced = await parallel((index) => store.replacePasswordHash('id-ada', passwordHash, `hash-${index}`));
      assert.equal(granted(replaced), 1);
      assert.equal((await store.byId('id-ada'))?.passwordHash, `hash-${replaced.indexOf(true)}`);
    },
    async 'lets one of 50 parallel removals win, and frees the username'(store) {
      await store.create(account());
      assert.equal(granted(await parallel(() => store.remove('id-ada'))), 1);
      assert.equal(withoutNulls(await store.byUsernameKey('ada')), undefined);
      assert.equal(await store.create(account({ id: 'id-new' })), true);
      assert.equal(withoutNulls(await store.byId('id-ada')), undefined);
    },
    async 'is not changed through what was put in or taken out'(store) {
      const roles = ['viewer'];
      await store.create(account({ roles }));
      roles.push('admin');
      const taken = await store.byId('id-ada');
      deface(taken, taken?.roles);
      assert.deepEqual(withoutNulls(await store.byId('id-ada')), account());
    },
    async 'adds a username at most once when calls and answers are lost'(store) {
      const added = await parallelWithFaults(store, (failing, index) => failing.create(account({ id: `id-${index}` })));
      assert.ok(granted(added) <= 1);
      assert.equal(await store.create(account({ id: 'id-late' })), false);
      const kept = (await store.byUsernameKey(account().usernameKey))?.id ?? '';
      assert.equal(added.includes(true) ? `id-${added.indexOf(true)}` : kept, kept);
    },
  });
}
