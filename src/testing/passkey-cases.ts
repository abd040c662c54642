import assert from 'node:assert/strict';
import type { PasskeyRecord, PasskeyStore } from '../webauthn/passkey-store.ts';
import { deface, granted, HOSTILE, NOW, parallel, withoutNulls } from './parallel.ts';
import { parallelWithFaults } from './parallel-with-faults.ts';
import { casesOf, type OpenStore, type StoreCase } from './store-case.ts';

function passkey(fields: Partial<PasskeyRecord> = {}): PasskeyRecord {
  return {
    id: 'credential-1',
    accountId: 'id-ada',
    publicKey: 'pQECAyYgASFYIA',
    counter: 0,
    transports: ['internal', 'hybrid'],
    backedUp: true,
    userVerified: true,
    label: 'Phone',
    createdAt: NOW,
    ...fields,
  };
}

/**
 * What every store of passkeys has to do.
 *
 * @example
 * for (const { name, run } of passkeyStoreCases(() => createMemoryPasskeyStore())) runner.test(name, run);
 */
export function passkeyStoreCases(open: OpenStore<PasskeyStore>): readonly StoreCase[] {
  return casesOf(open, {
    async 'gives back what was added'(store) {
      assert.equal(await store.add(passkey()), true);
      assert.deepEqual(withoutNulls(await store.find('credential-1')), passkey());
      const flags = { backedUp: false, userVerified: false };
      const bare = passkey({ id: 'credential-2', transports: [], ...flags, label: '', counter: 4_294_967_295 });
      assert.equal(await store.add(bare), true);
      assert.deepEqual(withoutNulls(await store.find('credential-2')), bare);
    },
    async 'answers with nothing for what it does not hold'(store) {
      await store.add(passkey());
      for (const id of ['', 'CREDENTIAL-1', 'credential-1 ', ...HOSTILE]) {
        assert.equal(await store.find(id), undefined);
        assert.deepEqual(await store.list(id), []);
        assert.equal(await store.count(id, 0, 1), false);
        assert.equal(await store.remove('id-ada', id), false);
        await store.removeAll(id);
      }
      assert.deepEqual(withoutNulls(await store.find('credential-1')), passkey());
    },
    async 'keeps hostile texts exactly and apart'(store) {
      const records = HOSTILE.map((text) => passkey({ id: text, accountId: text, label: text, transports: [text] }));
      for (const record of records) assert.equal(await store.add(record), true);
      for (const record of records) assert.deepEqual(withoutNulls(await store.find(record.id)), record);
      for (const record of records) assert.deepEqual((await store.list(record.accountId)).map(withoutNulls), [record]);
    },
    async 'never lets a second account take an id, and keeps the first passkey'(store) {
      await store.add(passkey());
      assert.equal(await store.add(passkey({ accountId: 'id-eve', publicKey: 'eve' })), false);
      assert.deepEqual(withoutNulls(await store.find('credential-1')), passkey());
      assert.deepEqual(await store.list('id-eve'), []);
    },
    async 'adds one of 50 parallel passkeys with one id'(store) {
      const added = await parallel((index) => store.add(passkey({ accountId: `id-${index}` })));
      assert.equal(granted(added), 1);
      assert.equal((await store.find('credential-1'))?.accountId, `id-${added.indexOf(true)}`);
    },
    async 'lists those of one account, oldest first'(store) {
      for (const age of [2, 3, 1]) await store.add(passkey({ id: `credential-${age}`, createdAt: NOW - age }));
      await store.add(passkey({ id: 'credential-bob', accountId: 'id-bob' }));
      assert.deepEqual(
        (await store.list('id-ada')).map(({ id }) => id),
        ['credential-3', 'credential-2', 'credential-1'],
      );
    },
    async 'counts from exactly the expected counter'(store) {
      await store.add(passkey({ counter: 5 }));
      for (const other of [4, 6]) assert.equal(await store.count('credential-1', other, 7), false);
      assert.equal((await store.find('credential-1'))?.counter, 5);
      assert.equal(await store.count('credential-1', 5, 6), true);
      assert.deepEqual(withoutNulls(await store.find('credential-1')), passkey({ counter: 6 }));
      assert.deepEqual((await store.list('id-ada')).map(withoutNulls), [passkey({ counter: 6 })]);
    },
    async 'lets one of 50 parallel uses from one counter win'(store) {
      await store.add(passkey({ counter: 5 }));
      const counted = await parallel((index) => store.count('credential-1', 5, 6 + index));
      assert.equal(granted(counted), 1);
      assert.equal((await store.find('credential-1'))?.counter, 6 + counted.indexOf(true));
    },
    async 'keeps a counter that stays at 0'(store) {
      await store.add(passkey());
      assert.equal(await store.count('credential-1', 0, 0), true);
      assert.equal((await store.find('credential-1'))?.counter, 0);
    },
    async 'removes a passkey of its own account only'(store) {
      await store.add(passkey());
      assert.equal(await store.remove('id-eve', 'credential-1'), false);
      assert.deepEqual(withoutNulls(await store.find('credential-1')), passkey());
      assert.equal(granted(await parallel(() => store.remove('id-ada', 'credential-1'))), 1);
      assert.equal(await store.find('credential-1'), undefined);
      assert.deepEqual(await store.list('id-ada'), []);
      assert.equal(await store.count('credential-1', 0, 1), false);
      assert.equal(await store.find('credential-1'), undefined);
    },
    async 'removes all passkeys of one account and no other'(store) {
      for (const id of ['credential-1', 'credential-2']) await store.add(passkey({ id }));
      await store.add(passkey({ id: 'credential-bob', accountId: 'id-bob' }));
      await store.removeAll('id-ada');
      assert.deepEqual(await store.list('id-ada'), []);
      assert.equal(await store.find('credential-1'), undefined);
      assert.equal((await store.list('id-bob')).length, 1);
    },
    async 'is not changed through what was put in or taken out'(store) {
      const transports = ['internal', 'hybrid'];
      await store.add(passkey({ transports }));
      transports.push('usb');
      const found = await store.find('credential-1');
      deface(found, found?.transports);
      const [listed] = await store.list('id-ada');
      deface(listed, listed?.transports);
      assert.deepEqual(withoutNulls(await store.find('credential-1')), passkey());
    },
    async 'counts a use at most once when calls and answers are lost'(store) {
      await store.add(passkey({ counter: 5 }));
      const counted = await parallelWithFaults(store, (failing, index) => failing.count('credential-1', 5, 6 + index));
      assert.ok(granted(counted) <= 1);
      assert.equal(await store.count('credential-1', 5, 99), false);
    },
  });
}
