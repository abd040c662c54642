import assert from 'node:assert/strict';
import type { ConsentRecord, ConsentStore } from '../oauth/consents/consent-store.ts';
import { deface, granted, HOSTILE, NOW, parallel, withoutNulls } from './parallel.ts';
import { parallelWithFaults } from './parallel-with-faults.ts';
import { casesOf, type OpenStore, type StoreCase } from './store-case.ts';

const consent = (scopes: readonly string[], fields: Partial<ConsentRecord> = {}): ConsentRecord => ({
  clientId: 'app',
  scopes,
  grantedAt: NOW,
  ...fields,
});

async function scopesOf(store: ConsentStore, accountId = 'id-ada', clientId = 'app'): Promise<readonly string[]> {
  return (await store.find(accountId, clientId))?.scopes ?? [];
}

/**
 * What every store of consents has to do.
 *
 * @example
 * for (const { name, run } of consentStoreCases(() => createMemoryConsentStore())) runner.test(name, run);
 */
export function consentStoreCases(open: OpenStore<ConsentStore>): readonly StoreCase[] {
  return casesOf(open, {
    async 'gives back what was granted'(store) {
      await store.grant('id-ada', 'app', ['openid', 'create'], NOW);
      assert.deepEqual(withoutNulls(await store.find('id-ada', 'app')), consent(['openid', 'create']));
      await store.grant('id-ada', 'bare', [], NOW);
      assert.deepEqual(withoutNulls(await store.find('id-ada', 'bare')), consent([], { clientId: 'bare' }));
    },
    async 'answers with nothing for what it does not hold'(store) {
      await store.grant('id-ada', 'app', ['create'], NOW);
      for (const text of ['', 'ID-ADA', 'APP', 'app ', ...HOSTILE]) {
        assert.equal(await store.find('id-ada', text), undefined);
        assert.equal(await store.find(text, 'app'), undefined);
        assert.deepEqual(await store.list(text), []);
        assert.equal(await store.revoke('id-ada', text), false);
        assert.equal(await store.revoke(text, 'app'), false);
        await store.revokeAll(text);
      }
      assert.deepEqual(await scopesOf(store), ['create']);
    },
    async 'keeps hostile texts exactly and apart'(store) {
      for (const text of HOSTILE) await store.grant(text, text, [text], NOW);
      for (const text of HOSTILE) {
        assert.deepEqual((await store.list(text)).map(withoutNulls), [consent([text], { clientId: text })]);
      }
      for (const text of HOSTILE) await store.grant('id-ada', 'app', [text], NOW);
      assert.deepEqual(await scopesOf(store), HOSTILE);
    },
    async 'adds what is new, each scope once, and says when'(store) {
      await store.grant('id-ada', 'app', ['openid', 'openid'], NOW);
      await store.grant('id-ada', 'app', ['create', 'openid', 'delete', 'create'], NOW + 1);
      assert.deepEqual(
        withoutNulls(await store.find('id-ada', 'app')),
        consent(['openid', 'create', 'delete'], { grantedAt: NOW + 1 }),
      );
      await store.grant('id-ada', 'app', ['delete', 'openid'], NOW + 2);
      await store.grant('id-ada', 'app', [], NOW + 3);
      assert.equal((await store.find('id-ada', 'app'))?.grantedAt, NOW + 1);
      await store.grant('id-ada', 'app', ['update'], NOW);
      assert.equal((await store.find('id-ada', 'app'))?.grantedAt, NOW + 1);
    },
    async 'loses nothing of 50 parallel grants'(store) {
      await parallel((index) => store.grant('id-ada', 'app', ['openid', `scope-${index}`], NOW + index));
      const found = await store.find('id-ada', 'app');
      const expected = ['openid', ...Array.from({ length: 50 }, (_, index) => `scope-${index}`)];
      assert.deepEqual([...(found?.scopes ?? [])].sort(), expected.sort());
      assert.equal(found?.grantedAt, NOW + 49);
    },
    async 'grants all or nothing when calls and answers are lost, and loses no other'(store) {
      await store.grant('id-ada', 'app', ['openid'], NOW);
      const answers = await parallelWithFaults(store, async (failing, index) => {
        await failing.grant('id-ada', 'app', [`a-${index}`, `b-${index}`], NOW);
        return index;
      });
      const scopes = new Set(await scopesOf(store));
      assert.ok(scopes.has('openid'));
      for (let index = 0; index < 50; index += 1) assert.equal(scopes.has(`a-${index}`), scopes.has(`b-${index}`));
      for (const index of answers) if (index !== undefined) assert.ok(scopes.has(`a-${index}`));
    },
    async 'keeps one account and one client from every other'(store) {
      await store.grant('id-ada', 'app', ['create'], NOW);
      await store.grant('id-ada', 'other', ['delete'], NOW);
      await store.grant('id-bob', 'app', ['update'], NOW);
      assert.deepEqual(await scopesOf(store), ['create']);
      assert.deepEqual(await scopesOf(store, 'id-ada', 'other'), ['delete']);
      assert.deepEqual(await scopesOf(store, 'id-bob'), ['update']);
    },
    async 'lists those of one account, by client id'(store) {
      for (const clientId of ['b', 'a', 'C']) await store.grant('id-ada', clientId, ['create'], NOW);
      await store.grant('id-bob', 'app', ['create'], NOW);
      assert.deepEqual(
        (await store.list('id-ada')).map(({ clientId }) => clientId),
        ['C', 'a', 'b'],
      );
    },
    async 'lets one of 50 parallel calls take a consent back, for good'(store) {
      await store.grant('id-ada', 'app', ['create'], NOW);
      await store.grant('id-ada', 'other', ['create'], NOW);
      await store.grant('id-bob', 'app', ['create'], NOW);
      assert.equal(granted(await parallel(() => store.revoke('id-ada', 'app'))), 1);
      assert.equal(await store.find('id-ada', 'app'), undefined);
      await store.grant('id-ada', 'app', ['openid'], NOW);
      assert.deepEqual(await scopesOf(store), ['openid']);
      assert.deepEqual(await scopesOf(store, 'id-ada', 'other'), ['create']);
      assert.deepEqual(await scopesOf(store, 'id-bob'), ['create']);
    },
    async 'forgets all of one account and nothing of another'(store) {
      for (const clientId of ['app', 'other']) await store.grant('id-ada', clientId, ['create'], NOW);
      await store.grant('id-bob', 'app', ['create'], NOW);
      await store.revokeAll('id-ada');
      assert.deepEqual(await store.list('id-ada'), []);
      assert.equal(await store.find('id-ada', 'app'), undefined);
      assert.deepEqual(await scopesOf(store, 'id-bob'), ['create']);
    },
    async 'is not changed through what was put in or taken out'(store) {
      const scopes = ['create'];
      await store.grant('id-ada', 'app', scopes, NOW);
      scopes.push('delete');
      const found = await store.find('id-ada', 'app');
      deface(found, found?.scopes);
      const [listed] = await store.list('id-ada');
      deface(listed, listed?.scopes);
      assert.deepEqual(withoutNulls(await store.find('id-ada', 'app')), consent(['create']));
    },
  });
}
