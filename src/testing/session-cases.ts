import assert from 'node:assert/strict';
import type { SessionStore } from '../accounts/index.ts';
import { deface, granted, HOSTILE, isRefused, NOW, parallel, withoutNulls } from './parallel.ts';
import { rotationChecks } from './rotation-checks.ts';
import { grant, isLive, outcome, refreshToken, session, swap } from './session-records.ts';
import { type Checks, casesOf, type OpenStore, type StoreCase } from './store-case.ts';

const lifeChecks: Checks<SessionStore> = {
  async 'gives back a session that was started'(store) {
    assert.equal(await store.start(session()), true);
    const login = { clientId: 'app', amr: ['pwd', 'otp', 'mfa'], acr: 'aal2', certificateThumbprint: 'thumbprint' };
    const full = session({ id: 'session-2', ...login });
    assert.equal(await store.start(full, refreshToken('first')), true);
    assert.deepEqual(withoutNulls(await store.find('session-1', 'token', NOW)), session());
    assert.deepEqual(withoutNulls(await store.find('session-2', 'token', NOW)), full);
  },
  async 'keeps what an OAuth client was granted, in every answer'(store) {
    const narrow = grant();
    const empty = grant({ id: 'session-2', startedAt: NOW + 1, scopes: [], audience: [] });
    assert.equal(await store.start(narrow, refreshToken('first')), true);
    assert.equal(await store.start(empty), true);
    assert.deepEqual(withoutNulls(await store.find('session-1', 'token', NOW)), narrow);
    assert.deepEqual(withoutNulls(await store.find('session-2', 'token', NOW)), empty);
    assert.deepEqual((await store.list('id-ada', NOW)).map(withoutNulls), [narrow, empty]);
    assert.deepEqual(withoutNulls((await store.findByRefreshToken('first', NOW))?.session), narrow);
    for (const kind of ['rotated', 'repeated'] as const) {
      const rotation = await store.rotate(swap('first', 'second', { clientId: 'app' }));
      assert.ok(rotation.kind === kind);
      assert.deepEqual(withoutNulls(rotation.session), narrow);
    }
  },
  async 'answers with nothing for what it does not hold'(store) {
    await store.start(session(), refreshToken('first'));
    for (const id of ['', 'SESSION-1', 'session-1 ', 'first', 'id-ada', ...HOSTILE]) {
      assert.equal(await store.find(id, 'token', NOW), undefined);
      assert.deepEqual(await store.list(id === 'id-ada' ? '' : id, NOW), []);
      assert.equal(await store.end(id), false);
      assert.equal(await outcome(store.rotate(swap(id === 'first' ? '' : id, 'next'))), 'refused');
    }
    assert.equal(await isLive(store, 'session-1'), true);
  },
  async 'keeps hostile texts exactly and apart'(store) {
    const records = HOSTILE.map((text) =>
      grant({ id: text, accountId: text, clientId: text, amr: [text], acr: text, scopes: [text], audience: [text] }),
    );
    for (const record of records) assert.equal(await store.start(record, refreshToken(record.id)), true);
    for (const record of records) {
      assert.deepEqual(withoutNulls(await store.find(record.id, record.id, NOW)), record);
      assert.deepEqual((await store.list(record.accountId, NOW)).map(withoutNulls), [record]);
    }
    for (const text of HOSTILE) {
      assert.equal(await outcome(store.rotate(swap(text, `next ${text}`, { clientId: text }))), 'rotated');
    }
  },
  async 'tells whose a refresh token is, used or not, and uses none up'(store) {
    const { endsAt } = session();
    await store.start(session(), refreshToken('first'));
    await store.start(session({ id: 'session-bob', accountId: 'id-bob' }), refreshToken('other'));
    await parallel(() => store.findByRefreshToken('first', NOW));
    assert.equal(await outcome(store.rotate(swap('first', 'second'))), 'rotated');
    for (const hash of ['first', 'second']) {
      assert.deepEqual(withoutNulls((await store.findByRefreshToken(hash, NOW))?.session), session());
      assert.equal(await store.findByRefreshToken(hash, endsAt), undefined);
    }
    for (const hash of ['', 'FIRST', 'session-1', ...HOSTILE]) {
      assert.equal(await store.findByRefreshToken(hash, NOW), undefined);
    }
    await store.end('session-1');
    for (const hash of ['first', 'second']) assert.equal(await store.findByRefreshToken(hash, NOW), undefined);
    assert.equal((await store.findByRefreshToken('other', NOW))?.session.id, 'session-bob');
  },
  async 'ends a session at the millisecond at which it ends by itself'(store) {
    const { endsAt } = session();
    await store.start(session());
    assert.equal(await isLive(store, 'session-1', endsAt - 1), true);
    assert.equal((await store.list('id-ada', endsAt - 1)).length, 1);
    assert.equal(await isLive(store, 'session-1', endsAt), false);
    assert.deepEqual(await store.list('id-ada', endsAt), []);
  },
  async 'lists the sessions of one account, oldest first'(store) {
    for (const age of [2, 3, 1]) await store.start(session({ id: `session-${age}`, startedAt: NOW - age }));
    await store.start(session({ id: 'session-bob', accountId: 'id-bob' }));
    assert.deepEqual(
      (await store.list('id-ada', NOW)).map(({ id }) => id),
      ['session-3', 'session-2', 'session-1'],
    );
  },
  async 'never lets a second session take an id, nor a second token a hash'(store) {
    await store.start(session(), refreshToken('first'));
    assert.ok(await isRefused(() => store.start(session({ accountId: 'id-eve' }))));
    const other = session({ id: 'session-eve', accountId: 'id-eve' });
    assert.ok(await isRefused(() => store.start(other, refreshToken('first'))));
    assert.equal(await isLive(store, 'session-eve'), false);
    assert.deepEqual(withoutNulls(await store.find('session-1', 'token', NOW)), session());
    const rotation = await store.rotate(swap('first', 'second'));
    assert.equal(rotation.kind === 'rotated' && rotation.session.accountId, 'id-ada');
  },
  async 'ends a session for one of 50 parallel calls, and its refresh token with it'(store) {
    await store.start(session(), refreshToken('first'));
    await store.start(session({ id: 'session-2' }), refreshToken('other'));
    assert.equal(granted(await parallel(() => store.end('session-1'))), 1);
    assert.equal(await isLive(store, 'session-1'), false);
    assert.deepEqual(
      (await store.list('id-ada', NOW)).map(({ id }) => id),
      ['session-2'],
    );
    assert.equal(await outcome(store.rotate(swap('first', 'second'))), 'refused');
    assert.equal(await outcome(store.rotate(swap('other', 'another'))), 'rotated');
  },
  async 'ends all sessions of an account but the one excepted, and names them'(store) {
    for (const id of ['session-1', 'session-2', 'session-3']) await store.start(session({ id }), refreshToken(id));
    await store.start(session({ id: 'session-bob', accountId: 'id-bob' }));
    const ended = await store.endAll('id-ada', NOW, 'session-2');
    assert.deepEqual([...ended].sort(), ['session-1', 'session-3']);
    assert.equal(await isLive(store, 'session-1'), false);
    assert.equal(await isLive(store, 'session-2'), true);
    assert.equal(await isLive(store, 'session-bob'), true);
    assert.equal(await outcome(store.rotate(swap('session-3', 'next'))), 'refused');
    assert.equal(await store.start(session({ id: 'session-4' })), false);
    assert.deepEqual(await store.endAll('id-ada', NOW), ['session-2']);
    assert.deepEqual(await store.endAll('id-ada', NOW), []);
    assert.deepEqual(await store.endAll('nobody', NOW), []);
  },
  async 'excepts no session of another account'(store) {
    await store.start(session());
    await store.start(session({ id: 'session-bob', accountId: 'id-bob' }));
    assert.deepEqual(await store.endAll('id-ada', NOW, 'session-bob'), ['session-1']);
    assert.equal(await isLive(store, 'session-bob'), true);
  },
  async 'starts no session from before all were ended, whatever order they were ended in'(store) {
    await store.endAll('id-ada', NOW);
    await store.endAll('id-ada', NOW - 5_000);
    assert.equal(await store.start(session({ startedAt: NOW - 1 }), refreshToken('early')), false);
    assert.equal(await store.start(session(), refreshToken('same')), false);
    assert.equal(await isLive(store, 'session-1'), false);
    assert.equal(await outcome(store.rotate(swap('same', 'next'))), 'refused');
    assert.equal(await store.start(session({ startedAt: NOW + 1 })), true);
    assert.equal(await store.start(session({ id: 'session-bob', accountId: 'id-bob', startedAt: NOW - 1 })), true);
  },
  async 'leaves no session of 50 starts in a race with the end of all'(store) {
    await Promise.all([
      store.endAll('id-ada', NOW),
      parallel((index) => store.start(session({ id: `session-${index}` }), refreshToken(`token-${index}`))),
    ]);
    assert.deepEqual(await store.list('id-ada', NOW), []);
    assert.ok((await parallel((index) => isLive(store, `session-${index}`))).every((live) => !live));
  },
  async 'ends each of 50 sessions once for 50 parallel calls'(store) {
    await parallel((index) => store.start(session({ id: `session-${index}` })));
    const ended = (await parallel(() => store.endAll('id-ada', NOW))).flat();
    assert.equal(ended.length, 50);
    assert.equal(new Set(ended).size, 50);
    assert.deepEqual(await store.list('id-ada', NOW), []);
  },
  async 'revokes one token, and the session goes on'(store) {
    await store.start(session());
    await store.revokeToken('token-1', NOW + 900_000, NOW);
    assert.equal(await store.find('session-1', 'token-1', NOW), undefined);
    assert.equal(await store.find('session-1', 'token-1', NOW + 899_999), undefined);
    for (const id of ['token-2', 'TOKEN-1', 'token-1 ', '', '__proto__']) {
      assert.deepEqual(withoutNulls(await store.find('session-1', id, NOW)), session());
    }
    assert.equal((await store.list('id-ada', NOW)).length, 1);
  },
  async 'never shortens a revocation'(store) {
    await store.start(session());
    await store.revokeToken('token-1', NOW + 900_000, NOW);
    await store.revokeToken('token-1', NOW + 1, NOW);
    await store.revokeToken('token-1', NOW - 1, NOW);
    // Whatever a store clears away, it does so along the way.
    await parallel((index) => store.revokeToken(`other-${index}`, NOW + 900_000, NOW + 2));
    assert.equal(await store.find('session-1', 'token-1', NOW + 2), undefined);
  },
  async 'loses none of 50 parallel revocations'(store) {
    await store.start(session());
    await parallel((index) => store.revokeToken(`token-${index}`, NOW + 900_000, NOW));
    const found = await parallel((index) => store.find('session-1', `token-${index}`, NOW));
    assert.ok(found.every((record) => record === undefined));
    assert.equal(await isLive(store, 'session-1'), true);
  },
  async 'is not changed through what was put in or taken out'(store) {
    const [amr, scopes, audience] = [['pwd'], ['openid'], ['https://api.example.org']];
    await store.start(grant({ amr, scopes, audience }), refreshToken('first'));
    amr.push('mfa');
    scopes.push('delete');
    audience.push('https://other.example.org');
    const found = await store.find('session-1', 'token', NOW);
    deface(found, found?.amr, found?.scopes, found?.audience);
    const [listed] = await store.list('id-ada', NOW);
    deface(listed, listed?.amr, listed?.scopes, listed?.audience);
    const rotation = await store.rotate(swap('first', 'second', { clientId: 'app' }));
    if (rotation.kind !== 'refused') deface(rotation.session, rotation.session.amr, rotation.session.scopes);
    const kept = grant({ amr: ['pwd'], scopes: ['openid'], audience: ['https://api.example.org'] });
    assert.deepEqual(withoutNulls(await store.find('session-1', 'token', NOW)), kept);
  },
};

/**
 * What every store of sessions has to do.
 *
 * @example
 * for (const { name, run } of sessionStoreCases(() => createMemorySessionStore())) runner.test(name, run);
 */
export function sessionStoreCases(open: OpenStore<SessionStore>): readonly StoreCase[] {
  return casesOf(open, { ...lifeChecks, ...rotationChecks });
}
