import assert from 'node:assert/strict';
import type { ApiKeyRecord, ApiKeyStore } from '../api-keys/api-key-store.ts';
import { deface, granted, HOSTILE, NOW, parallel, withoutNulls } from './parallel.ts';
import { parallelWithFaults } from './parallel-with-faults.ts';
import { casesOf, type OpenStore, type StoreCase } from './store-case.ts';

function apiKey(fields: Partial<ApiKeyRecord> = {}): ApiKeyRecord {
  return {
    id: 'key-1',
    accountId: 'id-ada',
    name: 'deploy',
    hash: 'hash-1',
    scopes: ['posts:read'],
    createdAt: NOW,
    ...fields,
  };
}

const next = (index: number | string): ApiKeyRecord => apiKey({ id: `next-${index}`, hash: `hash-next-${index}` });

/**
 * What every store of API keys has to do.
 *
 * @example
 * for (const { name, run } of apiKeyStoreCases(() => createMemoryApiKeyStore())) runner.test(name, run);
 */
export function apiKeyStoreCases(open: OpenStore<ApiKeyStore>): readonly StoreCase[] {
  const END = NOW + 5_000;

  return casesOf(open, {
    async 'gives back what was added'(store) {
      assert.equal(await store.add(apiKey()), true);
      assert.deepEqual(withoutNulls(await store.find('key-1')), apiKey());
      const full = apiKey({ id: 'key-2', scopes: [], expiresAt: NOW + 1, lastUsedAt: NOW });
      assert.equal(await store.add(full), true);
      assert.deepEqual(withoutNulls(await store.find('key-2')), full);
    },
    async 'answers with nothing for what it does not hold'(store) {
      await store.add(apiKey());
      for (const id of ['', 'KEY-1', 'key-1 ', ...HOSTILE]) {
        assert.equal(await store.find(id), undefined);
        assert.deepEqual(await store.list(id), []);
        assert.equal(await store.replace(id, next(1), END, NOW), false);
        assert.equal(await store.remove('id-ada', id), false);
        await store.touch(id, NOW);
        await store.removeAll(id);
        assert.equal(await store.find(id), undefined);
      }
      assert.deepEqual((await store.list('id-ada')).map(withoutNulls), [apiKey()]);
    },
    async 'keeps hostile texts exactly and apart'(store) {
      const records = HOSTILE.map((text) =>
        apiKey({ id: text, accountId: text, name: text, hash: text, scopes: [text] }),
      );
      for (const record of records) assert.equal(await store.add(record), true);
      for (const record of records) assert.deepEqual(withoutNulls(await store.find(record.id)), record);
      for (const record of records) assert.deepEqual((await store.list(record.accountId)).map(withoutNulls), [record]);
    },
    async 'never lets a second key take an id, and keeps the first one'(store) {
      await store.add(apiKey());
      assert.equal(await store.add(apiKey({ accountId: 'id-eve', hash: 'eve' })), false);
      assert.deepEqual(withoutNulls(await store.find('key-1')), apiKey());
      assert.deepEqual(await store.list('id-eve'), []);
    },
    async 'adds one of 50 parallel keys with one id'(store) {
      const added = await parallel((index) => store.add(apiKey({ hash: `hash-${index}` })));
      assert.equal(granted(added), 1);
      assert.equal((await store.find('key-1'))?.hash, `hash-${added.indexOf(true)}`);
    },
    async 'lists those of one account, oldest first'(store) {
      for (const age of [2, 3, 1]) await store.add(apiKey({ id: `key-${age}`, createdAt: NOW - age }));
      await store.add(apiKey({ id: 'key-bob', accountId: 'id-bob' }));
      assert.deepEqual(
        (await store.list('id-ada')).map(({ id }) => id),
        ['key-3', 'key-2', 'key-1'],
      );
    },
    async 'replaces a key: the next one is there, and the old one ends'(store) {
      const successor = { ...next(1), name: 'deploy 2', scopes: ['posts:write'], expiresAt: END + 1 };
      await store.add(apiKey());
      assert.equal(await store.replace('key-1', successor, END, NOW), true);
      assert.deepEqual(withoutNulls(await store.find('key-1')), apiKey({ expiresAt: END }));
      assert.deepEqual(withoutNulls(await store.find('next-1')), successor);
      assert.equal((await store.list('id-ada')).length, 2);
    },
    async 'lets a replaced key end no later than it would have'(store) {
      await store.add(apiKey({ expiresAt: NOW + 1_000 }));
      assert.equal(await store.replace('key-1', next(1), END, NOW), true);
      assert.equal((await store.find('key-1'))?.expiresAt, NOW + 1_000);
    },
    async 'replaces a key for one of 50 parallel calls, and adds no other'(store) {
      await store.add(apiKey());
      const replaced = await parallel((index) => store.replace('key-1', next(index), END + index, NOW));
      assert.equal(granted(replaced), 1);
      const winner = replaced.indexOf(true);
      assert.deepEqual((await store.list('id-ada')).map(({ id }) => id).sort(), ['key-1', `next-${winner}`]);
      assert.equal((await store.find('key-1'))?.expiresAt, END + winner);
    },
    async 'replaces a key once, also after a use and while it overlaps'(store) {
      await store.add(apiKey());
      await store.replace('key-1', next(1), END, NOW);
      await store.touch('key-1', NOW + 1);
      assert.equal(await store.replace('key-1', next(2), END, NOW + 2), false);
      assert.equal(await store.find('next-2'), undefined);
      assert.equal(await store.replace('next-1', next(2), END, NOW + 2), true);
    },
    async 'replaces no key that has ended'(store) {
      await store.add(apiKey({ expiresAt: NOW }));
      assert.equal(await store.replace('key-1', next(1), END, NOW), false);
      assert.equal(await store.find('next-1'), undefined);
      assert.equal((await store.find('key-1'))?.expiresAt, NOW);
    },
    async 'replaces no key of another account'(store) {
      await store.add(apiKey());
      assert.equal(await store.replace('key-1', { ...next(1), accountId: 'id-eve' }, END, NOW), false);
      assert.equal(await store.find('next-1'), undefined);
      assert.deepEqual(withoutNulls(await store.find('key-1')), apiKey());
    },
    async 'replaces nothing when the next id is taken'(store) {
      await store.add(apiKey());
      await store.add(next('taken'));
      assert.equal(await store.replace('key-1', { ...next('taken'), hash: 'eve' }, END, NOW), false);
      assert.equal(await store.replace('key-1', apiKey({ hash: 'eve' }), END, NOW), false);
      assert.deepEqual(withoutNulls(await store.find('key-1')), apiKey());
      assert.deepEqual(withoutNulls(await store.find('next-taken')), next('taken'));
      assert.equal(await store.replace('key-1', next(1), END, NOW), true);
    },
    async 'brings no removed key back in a race with its replacement'(store) {
      await store.add(apiKey());
      await Promise.all([
        parallel((index) => store.replace('key-1', next(index), END, NOW)),
        store.remove('id-ada', 'key-1'),
      ]);
      assert.equal(await store.find('key-1'), undefined);
      assert.ok((await store.list('id-ada')).length <= 1);
    },
    async 'notes the latest of 50 parallel uses, and changes nothing else'(store) {
      await store.add(apiKey({ expiresAt: END }));
      await parallel((index) => store.touch('key-1', NOW + ((index * 7) % 50)));
      assert.deepEqual(withoutNulls(await store.find('key-1')), apiKey({ expiresAt: END, lastUsedAt: NOW + 49 }));
    },
    async 'undoes no replacement in a race with 50 uses'(store) {
      await store.add(apiKey());
      const [isReplaced] = await Promise.all([
        store.replace('key-1', next(1), END, NOW),
        parallel((index) => store.touch('key-1', NOW + index)),
      ]);
      assert.equal(isReplaced, true);
      assert.deepEqual(withoutNulls(await store.find('key-1')), apiKey({ expiresAt: END, lastUsedAt: NOW + 49 }));
    },
    async 'removes a key of its own account only'(store) {
      await store.add(apiKey());
      assert.equal(await store.remove('id-eve', 'key-1'), false);
      assert.deepEqual(withoutNulls(await store.find('key-1')), apiKey());
      assert.equal(granted(await parallel(() => store.remove('id-ada', 'key-1'))), 1);
      assert.equal(await store.find('key-1'), undefined);
      assert.deepEqual(await store.list('id-ada'), []);
      await store.touch('key-1', NOW);
      assert.equal(await store.find('key-1'), undefined);
    },
    async 'removes all keys of one account and no other'(store) {
      for (const id of ['key-1', 'key-2']) await store.add(apiKey({ id }));
      await store.add(apiKey({ id: 'key-bob', accountId: 'id-bob' }));
      await store.removeAll('id-ada');
      assert.deepEqual(await store.list('id-ada'), []);
      assert.equal(await store.find('key-2'), undefined);
      assert.equal((await store.list('id-bob')).length, 1);
    },
    async 'is not changed through what was put in or taken out'(store) {
      const scopes = ['posts:read'];
      await store.add(apiKey({ scopes }));
      scopes.push('posts:write');
      const found = await store.find('key-1');
      deface(found, found?.scopes);
      const [listed] = await store.list('id-ada');
      deface(listed, listed?.scopes);
      assert.deepEqual(withoutNulls(await store.find('key-1')), apiKey());
    },
    async 'replaces a key at most once when calls and answers are lost'(store) {
      await store.add(apiKey());
      const replaced = await parallelWithFaults(store, (failing, index) =>
        failing.replace('key-1', next(index), END, NOW),
      );
      assert.ok(granted(replaced) <= 1);
      assert.equal((await store.list('id-ada')).length, 2);
      assert.equal(await store.replace('key-1', next('late'), END, NOW), false);
    },
  });
}
