import diagnostics from 'node:diagnostics_channel';
import { inspect } from 'node:util';
import { AUDIT_CHANNEL, type Subject } from 'doorward';
import { type ApiKeyStore, type ApiKeysOptions, createApiKeys } from 'doorward/api-keys';
import { createMemoryApiKeyStore } from 'doorward/stores/memory';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const START = 1_800_000_000_000;
const ada: Subject = { id: 'u-ada', roles: ['editor'], attributes: { department: 'press' } };

let now = START;
let store: ApiKeyStore;
let subjects: Map<string, Subject>;
const events: Record<string, unknown>[] = [];
const listen = (event: unknown) => events.push(event as Record<string, unknown>);

beforeEach(() => {
  now = START;
  store = createMemoryApiKeyStore();
  subjects = new Map([['u-ada', ada]]);
  events.length = 0;
  diagnostics.subscribe(AUDIT_CHANNEL, listen);
});
afterEach(() => {
  diagnostics.unsubscribe(AUDIT_CHANNEL, listen);
});

function open(options: Partial<ApiKeysOptions> = {}) {
  return createApiKeys({
    store,
    subjectOf: async (id) => subjects.get(id),
    scopes: ['create', 'update', 'delete'],
    clock: () => now,
    ...options,
  });
}

const wanted = { accountId: 'u-ada', name: 'nightly build', scopes: ['create'] };
const at = (time: number) => new Date(time).toISOString();

/** The store with some of its methods replaced. */
const storeWith = (methods: Partial<ApiKeyStore>): ApiKeyStore => ({ ...store, ...methods });

describe('a new API key', () => {
  it('is its account, narrowed to its scopes and without a login', async () => {
    const apiKeys = open();
    const { key } = await apiKeys.create(wanted);
    expect(await apiKeys.authenticate(key)).toEqual({ ok: true, principal: { ...ada, scopes: ['create'] } });
  });

  it('stands in the token alphabet of RFC 6750 behind its prefix, and no two are alike', async () => {
    const apiKeys = open({ prefix: 'acme_live', maxKeysPerAccount: 100 });
    const keys = await Promise.all(Array.from({ length: 20 }, () => apiKeys.create(wanted)));
    for (const { key, apiKey } of keys) {
      expect(key).toMatch(/^acme_live_[0-9A-Za-z]{18}_[0-9A-Za-z]{49}$/);
      expect(key.slice('acme_live_'.length, 28)).toBe(apiKey.id);
      expect(apiKeys.recognises(key)).toBe(true);
    }
    expect(new Set(keys.map(({ key }) => key)).size).toBe(20);
    expect(new Set(keys.map(({ apiKey }) => apiKey.id)).size).toBe(20);
  });

  it('is shown without its secret and its hash', async () => {
    const { apiKey } = await open().create({ ...wanted, expiresAt: at(START + 1_000) });
    expect(apiKey).toEqual({
      id: expect.any(String),
      name: 'nightly build',
      scopes: ['create'],
      createdAt: at(START),
      expiresAt: at(START + 1_000),
    });
    expect(await open().list('u-ada')).toEqual([apiKey]);
  });

  it.each([
    ['accountId', { accountId: '' }],
    ['accountId', { accountId: 'a\0' }],
    ['accountId', { accountId: 7 as never }],
    ['name', { name: '' }],
    ['name', { name: 'x'.repeat(129) }],
    ['name', { name: 'two\nlines' }],
    ['name', { name: undefined }],
    ['scopes', { scopes: undefined }],
    ['scopes', { scopes: 'create' }],
    ['scopes', { scopes: ['manage_users'] }],
    ['scopes', { scopes: [['create']] }],
    ['scopes', { scopes: ['constructor'] }],
    ['expiresAt', { expiresAt: null }],
    ['expiresAt', { expiresAt: START + 5_000 }],
    ['expiresAt', { expiresAt: '2035' }],
    ['expiresAt', { expiresAt: '2035-13-01T00:00:00Z' }],
    ['expiresAt', { expiresAt: at(START) }],
  ])('is refused for its %s: %j', async (field, part) => {
    await expect(open().create({ ...wanted, ...part })).rejects.toMatchObject({ code: 'INPUT_INVALID', field });
    expect(await open().list('u-ada')).toEqual([]);
  });

  it('is refused when the account has as many as it may, also in parallel', async () => {
    const apiKeys = open({ maxKeysPerAccount: 3 });
    await Promise.allSettled(Array.from({ length: 12 }, () => apiKeys.create(wanted)));
    expect((await apiKeys.list('u-ada')).length).toBeLessThanOrEqual(3);
    while ((await apiKeys.list('u-ada')).length < 3) await apiKeys.create(wanted);
    await expect(apiKeys.create(wanted)).rejects.toMatchObject({ code: 'INPUT_INVALID', field: 'accountId' });
    expect((await apiKeys.list('u-ada')).length).toBe(3);
  });

  it('takes the place of one that has ended', async () => {
    const apiKeys = open({ maxKeysPerAccount: 1 });
    const first = await apiKeys.create({ ...wanted, expiresAt: at(START + 1_000) });
    now += 1_000;
    const second = await apiKeys.create(wanted);
    expect((await apiKeys.list('u-ada')).map(({ id }) => id)).toEqual([second.apiKey.id]);
    expect(second.apiKey.id).not.toBe(first.apiKey.id);
  });
});

describe('authenticate', () => {
  const reasonOf = async (key: string, apiKeys = open()) => {
    const answer = await apiKeys.authenticate(key, { ip: '192.0.2.1', requestId: 'r-1' });
    return answer.ok ? 'ok' : answer.reason;
  };

  it('refuses typing errors and cut keys without asking the store', async () => {
    const { key } = await open().create(wanted);
    const asked: string[] = [];
    const apiKeys = open({
      store: storeWith({
        find: (id) => {
          asked.push(id);
          return store.find(id);
        },
      }),
    });
    for (let index = 3; index < key.length; index++) {
      const other = key[index] === 'x' ? 'y' : 'x';
      expect(await reasonOf(key.slice(0, index) + other + key.slice(index + 1), apiKeys)).toBe('malformed');
      expect(await reasonOf(key.slice(0, index), apiKeys)).toBe('malformed');
    }
    for (const odd of ['', 'dw_', `${key}x`, ` ${key}`, `${key}\n`, key.toUpperCase(), `x${key}`]) {
      expect(await reasonOf(odd, apiKeys)).toBe('malformed');
    }
    expect(asked).toEqual([]);
  });

  it('refuses the id of one key with the secret of another, and one that was never made', async () => {
    const [one, two] = [await open().create(wanted), await open().create(wanted)];
    const foreign = createApiKeys({ store: createMemoryApiKeyStore(), subjectOf: () => ada, scopes: ['create'] });
    const { key: unknown } = await foreign.create(wanted);
    expect(await reasonOf(unknown)).toBe('unknown');
    const swapped = storeWith({ find: async () => ({ ...(await record(two.apiKey.id)), id: one.apiKey.id }) });
    expect(await reasonOf(one.key, open({ store: swapped }))).toBe('wrong_secret');
    expect(events.filter(({ type }) => type === 'api_key.rejected')).toEqual([
      { type: 'api_key.rejected', reason: 'unknown', ip: '192.0.2.1', requestId: 'r-1' },
      { type: 'api_key.rejected', reason: 'wrong_secret', keyId: one.apiKey.id, ip: '192.0.2.1', requestId: 'r-1' },
    ]);
  });

  const record = async (id: string) => {
    const found = await store.find(id);
    if (found === undefined) throw new Error('no such key');
    return found;
  };

  it('refuses a key from the moment of its end on', async () => {
    const { key } = await open().create({ ...wanted, expiresAt: at(START + 1_000) });
    now = START + 999;
    expect(await reasonOf(key)).toBe('ok');
    now = START + 1_000;
    expect(await reasonOf(key)).toBe('expired');
  });

  it('takes the roles that the account has now, and refuses an account that is gone', async () => {
    const { key } = await open().create(wanted);
    subjects.set('u-ada', { ...ada, roles: ['viewer'] });
    expect(await open().authenticate(key)).toMatchObject({ principal: { roles: ['viewer'] } });
    subjects.clear();
    expect(await reasonOf(key)).toBe('account');
  });

  it('takes neither a login nor wider scopes from what the account is', async () => {
    const { key } = await open().create({ ...wanted, scopes: ['create', 'delete'] });
    const session = { id: 's', tokenId: 't', authTime: START / 1_000, expiresAt: START, amr: ['pwd'] };
    const narrowed = { ...ada, scopes: ['delete', 'update'], session };
    expect(await open({ subjectOf: () => narrowed }).authenticate(key)).toEqual({
      ok: true,
      principal: { ...ada, scopes: ['delete'] },
    });
  });

  it.each([
    ['another id', { id: 'x' }],
    ['no scopes', { scopes: undefined }],
    ['scopes that are null', { scopes: null }],
    ['scopes that are a text', { scopes: 'create' }],
    ['no hash', { hash: undefined }],
    ['an empty hash', { hash: '' }],
    ['an end that is a text', { expiresAt: '2099-01-01' }],
    ['an end that is no number', { expiresAt: Number.NaN }],
  ])('is unavailable when the store returns a record with %s', async (_, part) => {
    const { key } = await open().create(wanted);
    const broken = storeWith({ find: async (id) => ({ ...(await record(id)), ...part }) as never });
    await expect(open({ store: broken }).authenticate(key)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  });

  it('is unavailable when the store or the loader of accounts fails or is late', async () => {
    const { key } = await open().create(wanted);
    const never = () => new Promise<never>(() => {});
    const failing = () => Promise.reject(new Error('down'));
    for (const options of [
      { store: storeWith({ find: failing }) },
      { store: storeWith({ find: never }) },
      { subjectOf: failing },
      { subjectOf: never },
    ]) {
      const apiKeys = open({ ...options, storeTimeoutMs: 5 });
      await expect(apiKeys.authenticate(key)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    }
  });
});

describe('the last use of a key', () => {
  it('is written once a minute, however many use it at the same time', async () => {
    const { key, apiKey } = await open().create(wanted);
    const touched: number[] = [];
    const apiKeys = open({
      store: storeWith({
        touch: async (id, time) => {
          touched.push(time - START);
          await store.touch(id, time);
        },
      }),
    });
    const use = () => Promise.all(Array.from({ length: 10 }, () => apiKeys.authenticate(key)));
    await use();
    now += 59_999;
    await use();
    now += 1;
    await use();
    expect(touched).toEqual([0, 60_000]);
    expect((await apiKeys.list('u-ada'))[0]).toMatchObject({ id: apiKey.id, lastUsedAt: at(START + 60_000) });
  });

  it('is not awaited, and its failure is nobody else’s', async () => {
    const { key } = await open().create(wanted);
    for (const touch of [
      () => new Promise<never>(() => {}),
      () => Promise.reject(new Error('down')),
      () => {
        throw new Error('down');
      },
    ]) {
      expect(await open({ store: storeWith({ touch }) }).authenticate(key)).toMatchObject({ ok: true });
    }
  });

  it('is not that of a refused request', async () => {
    const { key } = await open().create(wanted);
    subjects.clear();
    await open().authenticate(key);
    expect((await open().list('u-ada'))[0]).not.toHaveProperty('lastUsedAt');
  });
});

describe('replace', () => {
  it('lets both keys in until the overlap ends, with the same name and scopes', async () => {
    const apiKeys = open();
    const old = await apiKeys.create(wanted);
    const next = await apiKeys.replace('u-ada', old.apiKey.id, { overlapSeconds: 60 });
    expect(next?.apiKey).toMatchObject({ name: 'nightly build', scopes: ['create'] });
    const areGood = async () => {
      const answers = [await apiKeys.authenticate(old.key), await apiKeys.authenticate(next?.key ?? '')];
      return answers.map(({ ok }) => ok);
    };
    now += 59_999;
    expect(await areGood()).toEqual([true, true]);
    now += 1;
    expect(await areGood()).toEqual([false, true]);
  });

  it('ends the old key at once without an overlap, and never lets it live longer than it would have', async () => {
    const apiKeys = open();
    const one = await apiKeys.create(wanted);
    await apiKeys.replace('u-ada', one.apiKey.id, { overlapSeconds: 0 });
    expect(await apiKeys.authenticate(one.key)).toMatchObject({ reason: 'expired' });
    const two = await apiKeys.create({ ...wanted, expiresAt: at(START + 10_000) });
    const next = await apiKeys.replace('u-ada', two.apiKey.id, { overlapSeconds: 3_600 });
    expect(next?.apiKey.expiresAt).toBe(at(START + 10_000));
    now += 10_000;
    expect(await apiKeys.authenticate(two.key)).toMatchObject({ reason: 'expired' });
  });

  it('gives the successor an end of its own where one is asked for', async () => {
    const apiKeys = open();
    const { apiKey } = await apiKeys.create({ ...wanted, expiresAt: at(START + 10_000) });
    const next = await apiKeys.replace('u-ada', apiKey.id, { overlapSeconds: 1, expiresAt: at(START + 90_000) });
    expect(next?.apiKey.expiresAt).toBe(at(START + 90_000));
  });

  it('has one successor, however many ask at the same time', async () => {
    const apiKeys = open();
    const { apiKey } = await apiKeys.create(wanted);
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => apiKeys.replace('u-ada', apiKey.id, { overlapSeconds: 60 })),
    );
    expect(answers.filter((answer) => answer !== undefined)).toHaveLength(1);
    expect(await apiKeys.list('u-ada')).toHaveLength(2);
  });

  it('knows only live keys of the account itself', async () => {
    const apiKeys = open();
    const { key, apiKey } = await apiKeys.create({ ...wanted, expiresAt: at(START + 1_000) });
    const options = { overlapSeconds: 60 };
    expect(await apiKeys.replace('u-eve', apiKey.id, options)).toBeUndefined();
    expect(await apiKeys.replace('u-ada', 'nothing', options)).toBeUndefined();
    expect(await apiKeys.remove('u-eve', apiKey.id)).toBe(false);
    expect(await apiKeys.authenticate(key)).toMatchObject({ ok: true });
    now += 1_000;
    expect(await apiKeys.replace('u-ada', apiKey.id, options)).toBeUndefined();
  });

  it.each([[-1], [1.5], [2_592_001], [Number.NaN], ['60'], [null], [undefined]])(
    'refuses an overlap of %j',
    async (overlapSeconds) => {
      const { apiKey } = await open().create(wanted);
      await expect(open().replace('u-ada', apiKey.id, { overlapSeconds })).rejects.toMatchObject({
        code: 'INPUT_INVALID',
        field: 'overlapSeconds',
      });
    },
  );

  it('is refused once the account has twice as many keys as it may', async () => {
    const apiKeys = open({ maxKeysPerAccount: 1 });
    const one = await apiKeys.create(wanted);
    const two = await apiKeys.replace('u-ada', one.apiKey.id, { overlapSeconds: 60 });
    const again = () => apiKeys.replace('u-ada', two?.apiKey.id ?? '', { overlapSeconds: 60 });
    await expect(again()).rejects.toMatchObject({ code: 'INPUT_INVALID', field: 'accountId' });
    now += 60_000;
    expect(await again()).toBeDefined();
  });
});

describe('remove', () => {
  it('ends one key, or all, at once', async () => {
    const apiKeys = open();
    const keys = [await apiKeys.create(wanted), await apiKeys.create(wanted), await apiKeys.create(wanted)];
    expect(await apiKeys.remove('u-ada', keys[0]?.apiKey.id ?? '')).toBe(true);
    expect(await apiKeys.remove('u-ada', keys[0]?.apiKey.id ?? '')).toBe(false);
    expect(await apiKeys.authenticate(keys[0]?.key ?? '')).toMatchObject({ ok: false });
    await apiKeys.removeAll('u-ada');
    expect(await apiKeys.authenticate(keys[1]?.key ?? '')).toMatchObject({ ok: false });
    expect(await apiKeys.list('u-ada')).toEqual([]);
    expect(events.filter(({ type }) => type === 'api_key.removed')).toHaveLength(3);
  });

  it('finds nothing under what is no id', async () => {
    const apiKeys = open();
    for (const id of ['', '\0', '\ud800', 7 as never, undefined as never]) {
      expect(await apiKeys.list(id)).toEqual([]);
      expect(await apiKeys.remove(id, id)).toBe(false);
      expect(await apiKeys.replace(id, id, { overlapSeconds: 0 })).toBeUndefined();
      await apiKeys.removeAll(id);
    }
  });
});

describe('what can be seen of API keys', () => {
  it('AUD-06 is neither a secret nor a hash, in events, in lists and in the object itself', async () => {
    const apiKeys = open();
    const first = await apiKeys.create(wanted);
    const next = await apiKeys.replace('u-ada', first.apiKey.id, { overlapSeconds: 60 });
    await apiKeys.authenticate(first.key);
    await apiKeys.authenticate(`${first.key.slice(0, -1)}-`);
    await apiKeys.remove('u-ada', first.apiKey.id);
    const seen =
      JSON.stringify([events, await apiKeys.list('u-ada'), apiKeys]) + inspect([events, apiKeys], { depth: 9 });
    for (const key of [first.key, next?.key ?? '']) {
      expect(key.length).toBeGreaterThan(60);
      expect(seen).not.toContain(key.slice(-49, -6));
    }
    for (const { hash } of await store.list('u-ada')) expect(seen).not.toContain(hash);
    expect(events.map(({ type }) => type)).toEqual([
      'api_key.created',
      'api_key.replaced',
      'api_key.rejected',
      'api_key.removed',
    ]);
  });

  it('AUD-05 is not what a store failed with', async () => {
    const { key } = await open().create(wanted);
    const broken = open({ store: storeWith({ find: () => Promise.reject(new Error('down')) }) });
    const error: unknown = await Promise.resolve(broken.authenticate(key)).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(inspect(error, { depth: 9 })).toContain('SERVICE_UNAVAILABLE');
    expect(inspect(error, { depth: 9 })).not.toContain(key.slice(-49, -6));
  });
});

describe('the options', () => {
  it.each([
    ['store', { store: {} as never }],
    ['subjectOf', { subjectOf: undefined as never }],
    ['scopes', { scopes: undefined as never }],
    ['scopes', { scopes: ['two words'] }],
    ['scopes', { scopes: ['a"b'] }],
    ['prefix', { prefix: '' }],
    ['prefix', { prefix: 'Dw' }],
    ['prefix', { prefix: 'dw_' }],
    ['prefix', { prefix: 'eyJhbGciOiJIUzI1NiJ9' }],
    ['maxKeysPerAccount', { maxKeysPerAccount: 0 }],
    ['storeTimeoutMs', { storeTimeoutMs: 2 ** 31 }],
    ['clock', { clock: 0 as never }],
    ['scope', { scope: [] } as never],
  ])('are refused for `%s`: %j', (field, part) => {
    expect(() => open(part)).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID', field }));
  });
});
