import { isDoorwardError } from 'doorward';
import type { CodeRecord, CodeState, CodeStore, ConsentRecord, ConsentStore } from 'doorward/oauth';
import { createMemoryCodeStore, createMemoryConsentStore } from 'doorward/stores/memory';
import { withFaults } from 'doorward/testing';
import { describe, expect, it } from 'vitest';
import { boundedCodeStore } from '../../src/oauth/codes/bounded-code-store.ts';
import { boundedConsentStore } from '../../src/oauth/consents/bounded-consent-store.ts';

const NOW = 1_000_000_000_000;
const record: CodeRecord = {
  ...{ clientId: 'app', accountId: 'id-ada', redirectUri: 'https://app.example.org/cb', codeChallenge: 'x'.repeat(43) },
  ...{ scopes: ['create'], audience: ['https://api.example.org'], authTime: NOW / 1_000, amr: ['pwd'], acr: 'aal1' },
  ...{ loginSessionId: 'login', issuedAt: NOW, expiresAt: NOW + 60_000 },
};
const state: CodeState = { record, replayed: false, failures: 0 };
const consent: ConsentRecord = { clientId: 'app', scopes: ['create'], grantedAt: NOW };
const UNAVAILABLE = { code: 'SERVICE_UNAVAILABLE', message: 'Service Unavailable' };
const never = () => new Promise<never>(() => undefined);

const codes = (methods: Partial<Record<keyof CodeStore, () => unknown>>) =>
  boundedCodeStore({ ...createMemoryCodeStore(), ...methods } as CodeStore, 50);
const consents = (methods: Partial<Record<keyof ConsentStore, () => unknown>>) =>
  boundedConsentStore({ ...createMemoryConsentStore(), ...methods } as ConsentStore, 50);
const found = (answer: unknown) => codes({ find: async () => answer }).find('hash', NOW);
const foundConsent = (answer: unknown) => consents({ find: async () => answer }).find('id-ada', 'app');

describe('what a code store answers', () => {
  it('is read by own properties, where null is absent', async () => {
    const extra = { ...state, takenBy: null, record: { ...record, nonce: null, dpopThumbprint: null, roles: ['x'] } };
    expect(await found(extra)).toEqual(state);
    expect(await found(Object.freeze({ ...state, takenBy: 's' }))).toEqual({ ...state, takenBy: 's' });
    expect(await found({ ...state, record: { ...record, nonce: 'n', dpopThumbprint: 't' } })).toEqual({
      ...state,
      record: { ...record, nonce: 'n', dpopThumbprint: 't' },
    });
    for (const nothing of [undefined, null]) expect(await found(nothing)).toBeUndefined();
  });

  it('STO-13 is refused when it is inherited', async () => {
    for (const answer of [Object.create(state), { ...state, record: Object.create(record) }]) {
      await expect(found(answer)).rejects.toMatchObject(UNAVAILABLE);
    }
  });

  it.each<[string, unknown]>([
    ...['codes', 7, true, [], [state], Promise.resolve].map((answer): [string, unknown] => [String(answer), answer]),
    ...['record', 'replayed', 'failures'].map((name): [string, unknown] => [name, { ...state, [name]: undefined }]),
    ...Object.keys(record).map((name): [string, unknown] => [name, { ...state, record: { ...record, [name]: null } }]),
    ['replayed', { ...state, replayed: 0 }],
    ['takenBy', { ...state, takenBy: 7 }],
    ['failures', { ...state, failures: -1 }],
    ['failures', { ...state, failures: '0' }],
    ['failures', { ...state, failures: Number.NaN }],
    ['scopes', { ...state, record: { ...record, scopes: 'create' } }],
    ['scopes', { ...state, record: { ...record, scopes: [7] } }],
    ['expiresAt', { ...state, record: { ...record, expiresAt: Number.POSITIVE_INFINITY } }],
    ['expiresAt', { ...state, record: { ...record, expiresAt: '9' } }],
    ['codeChallenge', { ...state, record: { ...record, codeChallenge: '' } }],
  ])('STO-13 is refused for its %s', async (_name, answer) => {
    await expect(found(answer)).rejects.toMatchObject(UNAVAILABLE);
  });

  it.each([undefined, null, true, 'taken', {}, { kind: 'TAKEN' }, { kind: 'replayed' }, [{ kind: 'taken' }], 1])(
    'STO-10 %j takes no code',
    async (answer) => {
      await expect(codes({ take: async () => answer }).take('hash', 's', 5, NOW)).rejects.toMatchObject(UNAVAILABLE);
    },
  );

  it('STO-10 an inherited kind takes no code', async () => {
    const take = async () => Object.create({ kind: 'taken' });
    await expect(codes({ take }).take('hash', 's', 5, NOW)).rejects.toMatchObject(UNAVAILABLE);
  });

  it.each([undefined, null, true, '1', -1, 0.5, Number.NaN])('STO-10 %j counts no failure', async (answer) => {
    await expect(codes({ fail: async () => answer }).fail('hash', NOW)).rejects.toMatchObject(UNAVAILABLE);
  });

  it('comes in time or not at all, and never says why', async () => {
    const silent = codes({ put: never, find: never, take: never, fail: never });
    const down = boundedCodeStore(
      withFaults(createMemoryCodeStore(), () => 'before'),
      50,
    );
    const thrower = () => {
      throw new Error('password=hunter2');
    };
    const throwing = codes({ put: thrower, find: thrower, take: thrower, fail: thrower });
    for (const store of [silent, down, throwing]) {
      const calls = [
        () => store.put('hash', record, NOW, NOW),
        () => store.find('hash', NOW),
        () => store.take('hash', 's', 5, NOW),
        () => store.fail('hash', NOW),
      ];
      for (const call of calls) {
        const error = await call().then(String, (refusal: unknown) => refusal);
        expect(isDoorwardError(error) && error.code).toBe('SERVICE_UNAVAILABLE');
        expect(String(error)).not.toContain('hunter2');
      }
    }
  });
});

describe('what a consent store answers', () => {
  it('is read by own properties', async () => {
    expect(await foundConsent({ ...consent, accountId: 'id-ada', admin: true })).toEqual(consent);
    for (const nothing of [undefined, null]) expect(await foundConsent(nothing)).toBeUndefined();
  });

  it.each<[string, unknown]>([
    ['nothing of its own', Object.create(consent)],
    ['another client', { ...consent, clientId: 'APP' }],
    ['a text for scopes', { ...consent, scopes: 'create' }],
    ['no scopes', { ...consent, scopes: null }],
    ['no time', { ...consent, grantedAt: '2026' }],
    ['a list', [consent]],
    ['true', true],
  ])('STO-13 is refused for %s', async (_name, answer) => {
    await expect(foundConsent(answer)).rejects.toMatchObject(UNAVAILABLE);
  });

  it.each([undefined, null, consent, [undefined], [{ ...consent, scopes: 1 }]])(
    'STO-10 %j is no list',
    async (answer) => {
      await expect(consents({ list: async () => answer }).list('id-ada')).rejects.toMatchObject(UNAVAILABLE);
    },
  );

  it.each([undefined, null, 1, 'true', { rowCount: 1 }])('STO-10 %j takes nothing back', async (answer) => {
    await expect(consents({ revoke: async () => answer }).revoke('id-ada', 'app')).rejects.toMatchObject(UNAVAILABLE);
  });

  it('comes in time or not at all', async () => {
    const store = consents({ find: never, grant: never, list: never, revoke: never, revokeAll: never });
    await expect(store.find('id-ada', 'app')).rejects.toMatchObject(UNAVAILABLE);
    await expect(store.grant('id-ada', 'app', [], NOW)).rejects.toMatchObject(UNAVAILABLE);
    await expect(store.list('id-ada')).rejects.toMatchObject(UNAVAILABLE);
    await expect(store.revoke('id-ada', 'app')).rejects.toMatchObject(UNAVAILABLE);
    await expect(store.revokeAll('id-ada')).rejects.toMatchObject(UNAVAILABLE);
  });

  it('is not asked about what nobody can be called', async () => {
    const store = consents({ find: never, list: never, revoke: never, revokeAll: never });
    for (const odd of ['', 'a\0', '\ud800', 'x'.repeat(257)]) {
      expect(await store.find('id-ada', odd)).toBeUndefined();
      expect(await store.find(odd, 'app')).toBeUndefined();
      expect(await store.list(odd)).toEqual([]);
      expect(await store.revoke('id-ada', odd)).toBe(false);
      await store.revokeAll(odd);
    }
  });
});
