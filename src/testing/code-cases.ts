import assert from 'node:assert/strict';
import type { CodeRecord, CodeState, CodeStore, TakenCode } from '../oauth/codes/code-store.ts';
import { deface, HOSTILE, NOW, parallel, withoutNulls } from './parallel.ts';
import { EFFECTIVE_CALLS, parallelWithFaults } from './parallel-with-faults.ts';
import { casesOf, type OpenStore, type StoreCase } from './store-case.ts';

const EXPIRES = NOW + 60_000;
const KEEP = NOW + 3_600_000;
const MAX_FAILURES = 5;

function code(fields: Partial<CodeRecord> = {}): CodeRecord {
  return {
    clientId: 'app',
    accountId: 'id-ada',
    redirectUri: 'https://app.example.org/callback',
    codeChallenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    scopes: ['openid', 'create'],
    audience: ['https://api.example.org'],
    authTime: NOW / 1_000,
    amr: ['pwd'],
    acr: 'aal1',
    loginSessionId: 'session-1',
    issuedAt: NOW,
    expiresAt: EXPIRES,
    ...fields,
  };
}

const put = (store: CodeStore, hash = 'code', fields: Partial<CodeRecord> = {}): Promise<void> =>
  store.put(hash, code(fields), KEEP, NOW);

const take = (store: CodeStore, sessionId: string, now: number = NOW + 1_000, hash = 'code'): Promise<TakenCode> =>
  store.take(hash, sessionId, MAX_FAILURES, now);

/** How often each outcome is among the attempts. */
function tally(attempts: readonly (TakenCode | undefined)[]): Readonly<Record<TakenCode['kind'], number>> {
  const count = (kind: TakenCode['kind']): number => attempts.filter((attempt) => attempt?.kind === kind).length;
  return { taken: count('taken'), replayed: count('replayed'), gone: count('gone') };
}

/** What the store knows, where a database may say `null` for what is absent. */
async function state(store: CodeStore, hash = 'code', now: number = NOW + 2_000): Promise<unknown> {
  const found = withoutNulls(await store.find(hash, now)) as CodeState | undefined;
  return found && { ...found, record: withoutNulls(found.record) };
}

const untouched = (fields: Partial<CodeRecord> = {}) => ({ record: code(fields), replayed: false, failures: 0 });

/**
 * What every store of authorization codes has to do.
 *
 * @example
 * for (const { name, run } of codeStoreCases(() => createMemoryCodeStore())) runner.test(name, run);
 */
export function codeStoreCases(open: OpenStore<CodeStore>): readonly StoreCase[] {
  return casesOf(open, {
    async 'gives back what was put in, and finding changes nothing'(store) {
      const full = { nonce: 'n-0S6_WzA2Mj', dpopThumbprint: 'thumbprint', scopes: [], audience: [] };
      await put(store);
      await put(store, 'other', full);
      await parallel(() => store.find('code', NOW));
      assert.deepEqual(await state(store), untouched());
      assert.deepEqual(await state(store, 'other'), untouched(full));
    },
    async 'answers with nothing for what it does not hold'(store) {
      await put(store);
      for (const hash of ['', 'CODE', 'code ', 'id-ada', ...HOSTILE]) {
        assert.equal(await store.find(hash, NOW), undefined);
        assert.deepEqual(await take(store, 'eve', NOW, hash), { kind: 'gone' });
        assert.equal(await store.fail(hash, NOW), 0);
      }
      assert.deepEqual(await state(store), untouched());
    },
    async 'keeps hostile texts exactly and apart'(store) {
      const fieldsOf = (text: string): Partial<CodeRecord> => ({
        ...{ clientId: text, accountId: text, redirectUri: text, nonce: text, acr: text, loginSessionId: text },
        ...{ scopes: [text], audience: [text], amr: [text] },
      });
      // What came in a query may hold what a column of text would not.
      const texts = [...HOSTILE, '\0', '\ud800', 'a\\u0000'];
      for (const [index, text] of texts.entries()) await put(store, `code-${index}`, fieldsOf(text));
      for (const [index, text] of texts.entries()) {
        assert.deepEqual(await state(store, `code-${index}`), untouched(fieldsOf(text)));
      }
      for (const hash of HOSTILE) await put(store, hash);
      for (const hash of HOSTILE) assert.deepEqual(await take(store, 'session', NOW, hash), { kind: 'taken' });
    },
    async 'never lets a second code take the place of the first'(store) {
      await put(store);
      await take(store, 'first');
      await assert.rejects(put(store, 'code', { accountId: 'id-eve' }));
      assert.deepEqual(await state(store), { ...untouched(), takenBy: 'first' });
    },
    async 'lets one of 50 parallel calls take a code, and tells all others whose it is'(store) {
      await put(store);
      const attempts = await parallel((index) => take(store, `session-${index}`));
      assert.deepEqual(tally(attempts), { taken: 1, replayed: 49, gone: 0 });
      const sessionId = `session-${attempts.findIndex(({ kind }) => kind === 'taken')}`;
      for (const attempt of attempts) {
        if (attempt.kind === 'replayed') assert.equal(attempt.sessionId, sessionId);
      }
      assert.deepEqual(await state(store), { ...untouched(), takenBy: sessionId, replayed: true });
    },
    async 'takes 50 codes in parallel, each by itself'(store) {
      await parallel((index) => put(store, `code-${index}`));
      const attempts = await parallel((index) => take(store, `session-${index}`, NOW, `code-${index}`));
      assert.equal(tally(attempts).taken, 50);
      for (let index = 0; index < 50; index += 1) {
        assert.deepEqual(await state(store, `code-${index}`), { ...untouched(), takenBy: `session-${index}` });
      }
    },
    async 'takes a code at most once when calls and answers are lost'(store) {
      await put(store);
      const attempts = await parallelWithFaults(store, (failing, index) => take(failing, `session-${index}`));
      assert.ok(tally(attempts).taken <= 1);
      assert.equal(tally(attempts).gone, 0);
      const late = await take(store, 'late');
      assert.ok(late.kind === 'replayed');
      const winner = attempts.findIndex((attempt) => attempt?.kind === 'taken');
      if (winner !== -1) assert.equal(late.sessionId, `session-${winner}`);
    },
    async 'remembers who took a code and that it came again, beyond its expiry and to the end'(store) {
      await put(store);
      assert.deepEqual(await take(store, 'first'), { kind: 'taken' });
      assert.deepEqual(await state(store), { ...untouched(), takenBy: 'first' });
      assert.deepEqual(await take(store, 'first'), { kind: 'replayed', sessionId: 'first' });
      for (const now of [EXPIRES, KEEP - 1]) {
        assert.deepEqual(await state(store, 'code', now), { ...untouched(), takenBy: 'first', replayed: true });
        assert.deepEqual(await take(store, 'eve', now), { kind: 'replayed', sessionId: 'first' });
      }
      assert.equal(await store.find('code', KEEP), undefined);
      assert.deepEqual(await take(store, 'eve', KEEP), { kind: 'gone' });
    },
    async 'marks a replay that comes when the code would be expired, too'(store) {
      await put(store);
      await take(store, 'first');
      assert.deepEqual(await take(store, 'eve', EXPIRES + 1), { kind: 'replayed', sessionId: 'first' });
      assert.deepEqual(await state(store), { ...untouched(), takenBy: 'first', replayed: true });
    },
    async 'gives no code from the millisecond at which it expires'(store) {
      await put(store);
      assert.deepEqual(await take(store, 'late', EXPIRES), { kind: 'gone' });
      assert.deepEqual(await take(store, 'late', EXPIRES + 1), { kind: 'gone' });
      assert.deepEqual(await take(store, 'first', EXPIRES - 1), { kind: 'taken' });
    },
    async 'counts 50 parallel wrong verifiers one by one'(store) {
      await put(store);
      const counts = await parallel(() => store.fail('code', NOW));
      assert.deepEqual(
        [...counts].sort((a, b) => a - b),
        Array.from({ length: 50 }, (_, index) => index + 1),
      );
      assert.deepEqual(await state(store), { ...untouched(), failures: 50 });
    },
    async 'loses no wrong verifier when calls and answers are lost'(store) {
      await put(store);
      await parallelWithFaults(store, (failing) => failing.fail('code', NOW));
      assert.deepEqual(await state(store), { ...untouched(), failures: EFFECTIVE_CALLS });
    },
    async 'gives a code up to the last wrong verifier, and none after it'(store) {
      await put(store);
      for (let failures = 1; failures < MAX_FAILURES; failures += 1) {
        assert.equal(await store.fail('code', NOW), failures);
      }
      await put(store, 'other');
      assert.deepEqual(await take(store, 'other', NOW, 'other'), { kind: 'taken' });
      assert.deepEqual(await take(store, 'first'), { kind: 'taken' });
      await put(store, 'dead');
      for (let failures = 0; failures < MAX_FAILURES; failures += 1) await store.fail('dead', NOW);
      assert.deepEqual(tally(await parallel((index) => take(store, `session-${index}`, NOW, 'dead'))), {
        ...{ taken: 0, replayed: 0 },
        gone: 50,
      });
      assert.deepEqual(await state(store, 'dead'), { ...untouched(), failures: MAX_FAILURES });
    },
    async 'counts no wrong verifier for a code that was taken'(store) {
      await put(store);
      await take(store, 'first');
      assert.equal(await store.fail('code', NOW), 0);
      assert.deepEqual(await state(store), { ...untouched(), takenBy: 'first' });
    },
    async 'is not changed through what was put in or taken out'(store) {
      const scopes = ['openid', 'create'];
      await put(store, 'code', { scopes });
      scopes.push('delete');
      const found = await store.find('code', NOW);
      const { record } = found ?? {};
      deface(record, record?.scopes, record?.audience, record?.amr);
      deface(found);
      assert.deepEqual(await state(store), untouched());
    },
  });
}
