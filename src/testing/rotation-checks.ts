import assert from 'node:assert/strict';
import type { Rotation, SessionRecord, SessionStore } from '../accounts/index.ts';
import { NOW, parallel, withoutNulls } from './parallel.ts';
import { parallelWithFaults } from './parallel-with-faults.ts';
import { GRACE, isLive, outcome, refreshToken, session, swap, tally } from './session-records.ts';
import type { Checks } from './store-case.ts';

const SWAPPED = NOW + 1_000;

async function start(store: SessionStore, fields: Partial<SessionRecord> = {}): Promise<void> {
  assert.equal(await store.start(session(fields), refreshToken('first')), true);
}

async function startAndSwap(store: SessionStore): Promise<void> {
  await start(store);
  assert.equal(await outcome(store.rotate(swap('first', 'second'))), 'rotated');
}

/** The session as a rotation tells it. */
function told(rotation: Rotation): unknown {
  return rotation.kind === 'refused' ? undefined : withoutNulls(rotation.session);
}

/** What `rotate` has to do, alone and in every race. */
export const rotationChecks: Checks<SessionStore> = {
  async 'rotates a chain of refresh tokens, and tells the session each time'(store) {
    const bound = { clientId: 'app', certificateThumbprint: 'thumbprint' };
    await start(store, bound);
    for (const [hash, next] of [
      ['first', 'second'],
      ['second', 'third'],
      ['third', 'fourth'],
    ] as const) {
      const rotation = await store.rotate(swap(hash, next, { clientId: 'app' }));
      assert.equal(rotation.kind, 'rotated');
      assert.deepEqual(told(rotation), session(bound));
    }
  },
  async 'gives 50 parallel rotations one and the same successor'(store) {
    await start(store);
    const rotations = await parallel((index) => store.rotate(swap('first', `second-${index}`)));
    assert.deepEqual(tally(rotations), { rotated: 1, repeated: 49, reused: 0, refused: 0 });
    const winner = rotations.findIndex(({ kind }) => kind === 'rotated');
    for (const rotation of rotations) {
      if (rotation.kind === 'repeated') assert.equal(rotation.sealedSuccessor, `sealed second-${winner}`);
      assert.deepEqual(told(rotation), session());
    }
    const successors = await parallel((index) => store.rotate(swap(`second-${index}`, `third-${index}`)));
    assert.deepEqual(tally(successors), { rotated: 1, repeated: 0, reused: 0, refused: 49 });
    assert.equal(successors[winner]?.kind, 'rotated');
  },
  async 'without grace lets one of 50 parallel rotations win, and ends the session once'(store) {
    await start(store);
    await store.start(session({ id: 'session-2' }), refreshToken('other'));
    const rotations = await parallel((index) => store.rotate(swap('first', `second-${index}`, { graceMs: 0 })));
    assert.deepEqual(tally(rotations), { rotated: 1, repeated: 0, reused: 1, refused: 48 });
    assert.equal(await isLive(store, 'session-1'), false);
    const successors = await parallel((index) => store.rotate(swap(`second-${index}`, `third-${index}`)));
    assert.equal(tally(successors).refused, 50);
    assert.equal(await outcome(store.rotate(swap('other', 'another'))), 'rotated');
  },
  async 'rotates at most once when calls and answers are lost, and all who are answered get that successor'(store) {
    await start(store);
    const answers = await parallelWithFaults(store, (failing, index) =>
      failing.rotate(swap('first', `second-${index}`)),
    );
    const rotations = answers.filter((rotation) => rotation !== undefined);
    assert.ok(tally(rotations).rotated <= 1);
    assert.equal(tally(rotations).rotated + tally(rotations).repeated, rotations.length);
    const repeated = await store.rotate(swap('first', 'late'));
    const sealed = repeated.kind === 'repeated' ? repeated.sealedSuccessor : '';
    for (const rotation of rotations) {
      if (rotation.kind === 'repeated') assert.equal(rotation.sealedSuccessor, sealed);
    }
    const successors = await parallel((index) => store.rotate(swap(`second-${index}`, `third-${index}`)));
    assert.equal(tally(successors).rotated, 1);
    assert.equal(`sealed second-${successors.findIndex(({ kind }) => kind === 'rotated')}`, sealed);
  },
  async 'repeats within the grace time to its last millisecond'(store) {
    await startAndSwap(store);
    for (const now of [SWAPPED, SWAPPED + 1, SWAPPED + GRACE - 1]) {
      const rotation = await store.rotate(swap('first', `unused-${now}`, { now }));
      assert.equal(rotation.kind === 'repeated' && rotation.sealedSuccessor, 'sealed second');
      assert.equal(await outcome(store.rotate(swap(`unused-${now}`, 'next'))), 'refused');
    }
    assert.equal(await outcome(store.rotate(swap('second', 'third'))), 'rotated');
  },
  async 'counts the grace time from the swap, not from the last repetition'(store) {
    await startAndSwap(store);
    for (const now of [SWAPPED + GRACE / 2, SWAPPED + GRACE - 1]) {
      assert.equal(await outcome(store.rotate(swap('first', 'eve', { now }))), 'repeated');
    }
    assert.equal(await outcome(store.rotate(swap('first', 'eve', { now: SWAPPED + GRACE }))), 'reused');
  },
  async 'without grace repeats nothing, on a server whose clock is behind, either'(store) {
    await startAndSwap(store);
    const early = swap('first', 'eve', { graceMs: 0, now: SWAPPED - 500 });
    assert.equal(await outcome(store.rotate(early)), 'reused');
    assert.equal(await isLive(store, 'session-1'), false);
  },
  async 'ends exactly the family when a token is used again after the grace time'(store) {
    await startAndSwap(store);
    await store.start(session({ id: 'session-2' }), refreshToken('other'));
    const rotations = await parallel((index) =>
      store.rotate(swap('first', `second-${index}`, { now: SWAPPED + GRACE })),
    );
    assert.deepEqual(tally(rotations), { rotated: 0, repeated: 0, reused: 1, refused: 49 });
    assert.deepEqual(told(rotations.find(({ kind }) => kind === 'reused') ?? { kind: 'refused' }), session());
    assert.equal(await isLive(store, 'session-1'), false);
    assert.equal(await outcome(store.rotate(swap('second', 'third'))), 'refused');
    assert.equal(await isLive(store, 'session-2'), true);
    assert.equal(await outcome(store.rotate(swap('other', 'another'))), 'rotated');
  },
  async 'ends the family when the token before the last comes back, within the grace time, too'(store) {
    await startAndSwap(store);
    assert.equal(await outcome(store.rotate(swap('second', 'third'))), 'rotated');
    assert.equal(await outcome(store.rotate(swap('first', 'eve'))), 'reused');
    assert.equal(await isLive(store, 'session-1'), false);
    assert.equal(await outcome(store.rotate(swap('third', 'fourth'))), 'refused');
    assert.equal(await outcome(store.rotate(swap('eve', 'mallory'))), 'refused');
  },
  async 'refuses a token whose session was ended, within the grace time, too'(store) {
    await startAndSwap(store);
    await store.end('session-1');
    for (const hash of ['first', 'second']) {
      assert.equal(await outcome(store.rotate(swap(hash, `next-${hash}`))), 'refused');
    }
  },
  async 'keeps the token of a client from every other one, and changes nothing'(store) {
    await start(store, { clientId: 'app' });
    for (const fields of [{}, { clientId: 'eve' }, { clientId: '' }, { clientId: 'APP' }]) {
      assert.equal(await outcome(store.rotate(swap('first', 'eve', fields))), 'refused');
    }
    assert.equal(await outcome(store.rotate(swap('first', 'second', { clientId: 'app' }))), 'rotated');
    assert.equal(await outcome(store.rotate(swap('first', 'eve', { now: SWAPPED + GRACE }))), 'refused');
    assert.equal(await isLive(store, 'session-1'), true);
  },
  async 'keeps the token of a first-party login from every client'(store) {
    await start(store);
    for (const clientId of ['app', '']) {
      assert.equal(await outcome(store.rotate(swap('first', 'eve', { clientId }))), 'refused');
    }
    assert.equal(await outcome(store.rotate(swap('first', 'second'))), 'rotated');
  },
  async 'tells whether a refresh token would be swapped now, as the rotation itself does'(store) {
    const { idleUntil } = refreshToken('first');
    const isUsable = async (hash: string, now: number, graceMs?: number): Promise<boolean | undefined> =>
      (await store.findByRefreshToken(hash, now, graceMs))?.usable;
    await start(store);
    assert.equal(await isUsable('first', idleUntil - 1), true);
    assert.equal(await isUsable('first', idleUntil, 3_600_000), false);
    assert.equal(await outcome(store.rotate(swap('first', 'second'))), 'rotated');
    assert.equal(await isUsable('second', SWAPPED), true);
    assert.equal(await isUsable('first', SWAPPED), false);
    assert.equal(await isUsable('first', SWAPPED, GRACE), true);
    assert.equal(await isUsable('first', SWAPPED + GRACE - 1, GRACE), true);
    assert.equal(await isUsable('first', SWAPPED + GRACE, GRACE), false);
    assert.equal(await outcome(store.rotate(swap('second', 'third'))), 'rotated');
    assert.equal(await isUsable('first', SWAPPED, GRACE), false);
    assert.equal(await isUsable('second', SWAPPED, GRACE), true);
    await store.end('session-1');
    for (const hash of ['first', 'second', 'third']) assert.equal(await isUsable(hash, SWAPPED, GRACE), undefined);
  },
  async 'never revives an idle token, whatever the grace time'(store) {
    const { idleUntil } = refreshToken('first');
    await start(store);
    for (const now of [idleUntil, idleUntil + 1]) {
      assert.equal(await outcome(store.rotate(swap('first', 'second', { now, graceMs: 3_600_000 }))), 'refused');
    }
    assert.equal(await isLive(store, 'session-1', idleUntil + 1), true);
    assert.equal(await outcome(store.rotate(swap('second', 'third'))), 'refused');
    assert.equal(await outcome(store.rotate(swap('first', 'second', { now: idleUntil - 1 }))), 'rotated');
  },
  async 'gives the successor an idle time of its own'(store) {
    await start(store);
    const successor = refreshToken('second', { idleUntil: SWAPPED + 5 });
    assert.equal(await outcome(store.rotate(swap('first', 'second', { successor }))), 'rotated');
    assert.equal(await outcome(store.rotate(swap('second', 'third', { now: SWAPPED + 5 }))), 'refused');
    assert.equal(await outcome(store.rotate(swap('second', 'third', { now: SWAPPED + 4 }))), 'rotated');
  },
  async 'refuses every token when the session has ended by itself'(store) {
    const { endsAt } = session();
    // Among many, so that clearing away what has ended does not happen to do it.
    await parallel((index) =>
      store.start(session({ id: `other-${index}`, endsAt: endsAt + 9_000 }), refreshToken(`other-${index}`)),
    );
    await start(store);
    const successor = refreshToken('second', { idleUntil: endsAt + 9_000 });
    const late = swap('first', 'second', { successor, now: endsAt - 1 });
    assert.equal(await outcome(store.rotate(late)), 'refused');
    assert.equal(await outcome(store.rotate({ ...late, now: SWAPPED })), 'rotated');
    assert.equal(await outcome(store.rotate(swap('second', 'third', { now: endsAt }))), 'refused');
    assert.equal(await outcome(store.rotate(swap('first', 'third', { now: endsAt }))), 'refused');
  },
  async 'makes no live token once the end of the session was answered'(store) {
    await start(store);
    const [rotations, isEnded] = await Promise.all([
      parallel((index) => store.rotate(swap('first', `second-${index}`))),
      store.end('session-1'),
    ]);
    assert.equal(isEnded, true);
    assert.ok(tally(rotations).rotated <= 1);
    assert.equal(await isLive(store, 'session-1'), false);
    const successors = await parallel((index) => store.rotate(swap(`second-${index}`, `third-${index}`)));
    assert.equal(tally(successors).refused, 50);
    assert.equal(await outcome(store.rotate(swap('first', 'eve'))), 'refused');
  },
  async 'makes no live token once the end of all sessions was answered'(store) {
    await start(store);
    const [rotations] = await Promise.all([
      parallel((index) => store.rotate(swap('first', `second-${index}`))),
      store.endAll('id-ada', NOW),
    ]);
    assert.ok(tally(rotations).rotated <= 1);
    assert.deepEqual(await store.list('id-ada', NOW), []);
    const successors = await parallel((index) => store.rotate(swap(`second-${index}`, `third-${index}`)));
    assert.equal(tally(successors).refused, 50);
  },
  async 'rotates 50 families in parallel, each by itself'(store) {
    await parallel((index) => store.start(session({ id: `session-${index}` }), refreshToken(`first-${index}`)));
    const rotations = await parallel((index) => store.rotate(swap(`first-${index}`, `second-${index}`)));
    assert.equal(tally(rotations).rotated, 50);
    rotations.forEach((rotation, index) => {
      assert.deepEqual(told(rotation), session({ id: `session-${index}` }));
    });
  },
};
