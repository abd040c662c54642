import assert from 'node:assert/strict';
import type { TotpRecord, TotpStore } from '../totp/totp-store.ts';
import { deface, granted, HOSTILE, parallel, withoutNulls } from './parallel.ts';
import { parallelWithFaults } from './parallel-with-faults.ts';
import { casesOf, type OpenStore, type StoreCase } from './store-case.ts';

const CODES: readonly string[] = ['hash-1', 'hash-2', 'hash-3'];

function enrolment(fields: Partial<TotpRecord> = {}): TotpRecord {
  return { accountId: 'id-ada', sealedSecret: 'sealed-1', confirmed: false, recoveryHashes: [], ...fields };
}

/**
 * What every store of TOTP enrolments has to do.
 *
 * @example
 * for (const { name, run } of totpStoreCases(() => createMemoryTotpStore())) runner.test(name, run);
 */
export function totpStoreCases(open: OpenStore<TotpStore>): readonly StoreCase[] {
  async function confirm(store: TotpStore): Promise<void> {
    assert.equal(await store.enrol(enrolment()), true);
    assert.equal(await store.confirm('id-ada', 'sealed-1', CODES), true);
  }
  const confirmed = enrolment({ confirmed: true, recoveryHashes: CODES });

  return casesOf(open, {
    async 'gives back an enrolment, unconfirmed whatever it says'(store) {
      assert.equal(await store.enrol(enrolment({ confirmed: true })), true);
      assert.deepEqual(withoutNulls(await store.find('id-ada')), enrolment());
    },
    async 'answers undefined and false for what it does not hold'(store) {
      await confirm(store);
      for (const id of ['', 'ID-ADA', ...HOSTILE]) {
        assert.equal(await store.find(id), undefined);
        assert.equal(await store.confirm(id, 'sealed-1', CODES), false);
        assert.equal(await store.takeRecovery(id, 'hash-1'), false);
        assert.equal(await store.replaceRecovery(id, CODES), false);
        assert.equal(await store.remove(id), false);
      }
      assert.deepEqual(withoutNulls(await store.find('id-ada')), confirmed);
    },
    async 'keeps hostile texts exactly and apart'(store) {
      const records = HOSTILE.map((text) => ({
        ...confirmed,
        accountId: text,
        sealedSecret: text,
        recoveryHashes: [text],
      }));
      for (const { accountId, sealedSecret, recoveryHashes } of records) {
        assert.equal(await store.enrol(enrolment({ accountId, sealedSecret })), true);
        assert.equal(await store.confirm(accountId, sealedSecret, recoveryHashes), true);
      }
      for (const record of records) assert.deepEqual(withoutNulls(await store.find(record.accountId)), record);
      for (const text of HOSTILE) assert.equal(await store.takeRecovery(text, text), true);
    },
    async 'replaces an enrolment that is not confirmed'(store) {
      await store.enrol(enrolment());
      assert.equal(await store.enrol(enrolment({ sealedSecret: 'sealed-2' })), true);
      assert.deepEqual(withoutNulls(await store.find('id-ada')), enrolment({ sealedSecret: 'sealed-2' }));
      assert.equal(await store.confirm('id-ada', 'sealed-1', CODES), false);
      assert.deepEqual(withoutNulls(await store.find('id-ada')), enrolment({ sealedSecret: 'sealed-2' }));
    },
    async 'never replaces a confirmed enrolment'(store) {
      await confirm(store);
      assert.equal(await store.enrol(enrolment({ sealedSecret: 'sealed-eve' })), false);
      assert.deepEqual(withoutNulls(await store.find('id-ada')), confirmed);
    },
    async 'confirms an enrolment for one of 50 parallel calls'(store) {
      await store.enrol(enrolment());
      assert.equal(granted(await parallel(() => store.confirm('id-ada', 'sealed-1', CODES))), 1);
      assert.deepEqual(withoutNulls(await store.find('id-ada')), confirmed);
    },
    async 'keeps what was confirmed in a race with 50 new enrolments'(store) {
      await store.enrol(enrolment());
      const [isConfirmed] = await Promise.all([
        store.confirm('id-ada', 'sealed-1', CODES),
        parallel((index) => store.enrol(enrolment({ sealedSecret: `sealed-eve-${index}` }))),
      ]);
      const record = withoutNulls(await store.find('id-ada'));
      assert.equal(record?.confirmed, isConfirmed);
      if (isConfirmed) assert.deepEqual(record, confirmed);
    },
    async 'gives a recovery code to one of 50 parallel calls'(store) {
      await confirm(store);
      assert.equal(granted(await parallel(() => store.takeRecovery('id-ada', 'hash-2'))), 1);
      assert.deepEqual((await store.find('id-ada'))?.recoveryHashes, ['hash-1', 'hash-3']);
      assert.equal(await store.takeRecovery('id-ada', 'hash-2'), false);
    },
    async 'gives 50 recovery codes to 50 parallel calls, and loses none'(store) {
      await confirm(store);
      const hashes = Array.from({ length: 51 }, (_, index) => `hash-${index}`);
      assert.equal(await store.replaceRecovery('id-ada', hashes), true);
      assert.equal(granted(await parallel((index) => store.takeRecovery('id-ada', `hash-${index}`))), 50);
      assert.deepEqual((await store.find('id-ada'))?.recoveryHashes, ['hash-50']);
    },
    async 'takes no code for a part of one, and none of somebody else'(store) {
      await confirm(store);
      await store.enrol(enrolment({ accountId: 'id-bob' }));
      await store.confirm('id-bob', 'sealed-1', ['hash-bob']);
      for (const hash of ['', 'hash', 'hash-1 ', 'HASH-1', '%', 'hash-bob']) {
        assert.equal(await store.takeRecovery('id-ada', hash), false);
      }
      assert.deepEqual(withoutNulls(await store.find('id-ada')), confirmed);
    },
    async 'replaces all recovery codes, and the former ones are gone'(store) {
      await confirm(store);
      assert.equal(await store.replaceRecovery('id-ada', ['hash-9']), true);
      assert.equal(await store.takeRecovery('id-ada', 'hash-1'), false);
      assert.equal(await store.takeRecovery('id-ada', 'hash-9'), true);
      assert.deepEqual((await store.find('id-ada'))?.recoveryHashes, []);
    },
    async 'has no recovery codes before the enrolment is confirmed'(store) {
      await store.enrol(enrolment({ recoveryHashes: ['hash-1'] }));
      assert.equal(await store.takeRecovery('id-ada', 'hash-1'), false);
      assert.equal(await store.replaceRecovery('id-ada', CODES), false);
      assert.equal((await store.find('id-ada'))?.confirmed, false);
    },
    async 'removes an enrolment for one of 50 parallel calls'(store) {
      await confirm(store);
      assert.equal(granted(await parallel(() => store.remove('id-ada'))), 1);
      assert.equal(await store.find('id-ada'), undefined);
      assert.equal(await store.takeRecovery('id-ada', 'hash-1'), false);
      assert.equal(await store.enrol(enrolment()), true);
    },
    async 'is not changed through what was put in or taken out'(store) {
      await confirm(store);
      const hashes = [...CODES];
      await store.replaceRecovery('id-ada', hashes);
      hashes.push('hash-eve');
      const record = await store.find('id-ada');
      deface(record, record?.recoveryHashes);
      assert.deepEqual(withoutNulls(await store.find('id-ada')), confirmed);
    },
    async 'gives a recovery code at most once when calls and answers are lost'(store) {
      await confirm(store);
      const taken = await parallelWithFaults(store, (failing) => failing.takeRecovery('id-ada', 'hash-2'));
      assert.ok(granted(taken) <= 1);
      assert.deepEqual((await store.find('id-ada'))?.recoveryHashes, ['hash-1', 'hash-3']);
    },
  });
}
