import type { Account, AccountStore, Hits, RateLimitStore } from 'doorward/accounts';
import { createMemoryAccountStore, createMemoryRateLimitStore } from 'doorward/stores/memory';
import { describe, expect, it } from 'vitest';
import { createWorld, loginClaims, outcome, PASSWORD, storedAccount, untyped, type World } from './fixture.ts';

const faults: [string, () => Promise<never>][] = [
  ['rejects', () => Promise.reject(new Error('connection refused'))],
  ['throws', throwing],
  ['never answers', () => new Promise(() => {})],
];

const registration = { username: 'new', password: PASSWORD, email: 'a@example.org' };
const verbs: [string, (world: World, token: string) => unknown][] = [
  ['register', ({ accounts }) => accounts.register(registration, { ip: '192.0.2.1' })],
  ['login', ({ login }) => login('ada', PASSWORD, '192.0.2.1')],
  ['login of an unknown name', ({ login }) => login('nobody', PASSWORD)],
  ['authenticate', ({ accounts }, token) => accounts.authenticate(token)],
  ['refresh', ({ accounts }, token) => accounts.refresh(token)],
  ['byId', ({ accounts }) => accounts.byId('id-ada')],
  ['setRoles', ({ accounts }) => accounts.setRoles('id-ada', [])],
  ['setDepartment', ({ accounts }) => accounts.setDepartment('id-ada', null)],
  ['disable', ({ accounts }) => accounts.disable('id-ada')],
  ['remove', ({ accounts }) => accounts.remove('id-ada')],
];

const claims = loginClaims('id-ada');

function worldOf(fault: () => Promise<never>, limits?: RateLimitStore): World {
  const store: AccountStore = {
    create: fault,
    byId: fault,
    byUsernameKey: fault,
    update: fault,
    replacePasswordHash: fault,
    remove: fault,
  };
  return createWorld({ store, ...(limits && { limits }), storeTimeoutMs: 20 });
}

describe.each(faults)('an account store that %s', (_, fault) => {
  it.each(verbs)('STO-06 STO-12 makes %s unavailable, never "no such account"', async (__, verb) => {
    const world = worldOf(fault);
    const token = world.sign(claims);
    await expect(verb(world, token)).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      status: 503,
      message: 'Service Unavailable',
      cause: expect.any(Error),
    });
    expect(world.audit).toEqual([]);
  });

  it('counts as no failed login', async () => {
    const limits = createMemoryRateLimitStore();
    const broken = worldOf(fault, limits);
    for (let i = 0; i < 12; i += 1) await outcome(broken.login('ada', PASSWORD, '192.0.2.1'));
    const mended = createWorld({ limits });
    await mended.register();
    for (let i = 0; i < 9; i += 1) await outcome(mended.login('ada', 'wrong', '192.0.2.1'));
    expect(await outcome(mended.login('ada', PASSWORD, '192.0.2.1'))).toBe('ok');
  });
});

describe.each(faults)('a rate limit store that %s', (_, fault) => {
  it('STO-12 lets nobody guess uncounted', async () => {
    const world = createWorld({ limits: { hit: fault, release: fault }, storeTimeoutMs: 20 });
    await world.register();
    world.evaluations.hash = 0;
    expect(await outcome(world.login())).toBe('SERVICE_UNAVAILABLE');
    expect(await outcome(world.accounts.register(registration, { ip: '192.0.2.1' }))).toBe('SERVICE_UNAVAILABLE');
    expect(world.evaluations).toEqual({ hash: 0, verify: 0 });
  });

  it('does not turn a right password away when only taking back fails', async () => {
    const { hit } = createMemoryRateLimitStore();
    const world = createWorld({ limits: { hit, release: fault }, storeTimeoutMs: 20 });
    await world.register();
    expect(await outcome(world.login('ada', PASSWORD, '192.0.2.1'))).toBe('ok');
  });
});

describe('what a store answers', () => {
  const answering = (record: unknown): World => {
    const answer = async () => untyped<Account>(record);
    const store = createMemoryAccountStore();
    return createWorld({ store: { ...store, byId: answer, byUsernameKey: answer, update: answer } });
  };
  const authenticate = async (world: World) => {
    await world.start('id-ada').catch(() => 'it is there');
    return world.accounts.authenticate(world.sign(claims));
  };

  it.each([null, undefined])('STO-13 a promise of %s is no account', async (record) => {
    const world = answering(record);
    expect(await authenticate(world)).toEqual({ ok: false, reason: 'unknown_account' });
    expect(await outcome(world.login())).toBe('AUTH_INVALID_CREDENTIALS');
    expect(await world.accounts.byId('id-ada')).toBeUndefined();
  });

  it.each([
    ['a frozen object', Object.freeze(storedAccount())],
    ['an object without prototype', Object.assign(Object.create(null), storedAccount())],
    ['an instance of a class', Object.assign(new (class Row {})(), storedAccount())],
    ['more properties than asked for', { ...storedAccount(), isAdmin: true, scopes: ['all'] }],
    ['null where a column is empty', { ...storedAccount(), email: null, department: null }],
  ])('STO-13 %s is read by its own properties', async (_, record) => {
    expect(await authenticate(answering(record))).toMatchObject({
      ok: true,
      principal: { id: 'id-ada', roles: ['viewer'], attributes: { username: 'ada' } },
    });
  });

  it.each([
    ['inherited properties only', Object.create(storedAccount())],
    ['an inherited disabled flag', without('disabled', { disabled: false })],
    ['inherited roles', without('roles', { roles: ['admin'] })],
    ['no hash', without('passwordHash', {})],
    ['an array', [storedAccount()]],
    ['a string', 'ada'],
    ['true', true],
    ['a number as id', storedAccount({ id: untyped(7) })],
    ['a string as disabled flag', storedAccount({ disabled: untyped('false') })],
    ['a disabled flag of 0', storedAccount({ disabled: untyped(0) })],
    ['an unreadable date', storedAccount({ createdAt: Number.NaN })],
    ['a date beyond dates', storedAccount({ createdAt: 1e300 })],
    ['a number as e-mail address', storedAccount({ email: untyped(7) })],
    ['another account', storedAccount({ id: 'id-eve', usernameKey: 'eve' })],
  ])('STO-13 %s is refused as unavailable, not believed', async (_, record) => {
    const world = answering(record);
    expect(await outcome(authenticate(world))).toBe('SERVICE_UNAVAILABLE');
    expect(await outcome(world.login())).toBe('SERVICE_UNAVAILABLE');
    expect(await outcome(world.accounts.byId('id-ada'))).toBe('SERVICE_UNAVAILABLE');
    expect(await outcome(world.accounts.disable('id-ada'))).toBe('SERVICE_UNAVAILABLE');
  });

  it.each([
    'admin',
    { admin: true },
    { 0: 'admin', length: 1 },
    null,
    undefined,
    [['admin']],
    ['viewer', 7],
    new Array(1),
    new Set(['admin']),
  ])('AZ-03 roles of %j are refused at the store boundary', async (roles) => {
    const record = { ...storedAccount(), roles };
    expect(await outcome(authenticate(answering(record)))).toBe('SERVICE_UNAVAILABLE');
  });

  it('AZ-03 strange role names and many of them are handed on as they are, for the role table to ignore', async () => {
    const roles = [
      '__proto__',
      'constructor',
      'toString',
      'Admin',
      'admin ',
      ...Array.from({ length: 10_000 }, String),
    ];
    expect(await authenticate(answering(storedAccount({ roles })))).toMatchObject({ principal: { roles } });
  });

  it('a principal cannot be used to change what the store holds', async () => {
    const store = createMemoryAccountStore();
    await store.create(storedAccount());
    const world = createWorld({ store });
    const first = await authenticate(world);
    expect(() => first.ok && (first.principal.roles as string[]).push('admin')).toThrow(TypeError);
    expect(await authenticate(world)).toMatchObject({ principal: { roles: ['viewer'] } });
  });

  it.each([1, 'true', undefined, null, { rowCount: 1 }])(
    'STO-10 %j is no answer to create and remove',
    async (answer) => {
      const said = async () => untyped<boolean>(answer);
      const world = createWorld({ store: { ...createMemoryAccountStore(), create: said, remove: said } });
      expect(await outcome(world.register())).toBe('SERVICE_UNAVAILABLE');
      expect(await outcome(world.accounts.remove('id-ada'))).toBe('SERVICE_UNAVAILABLE');
    },
  );

  it.each([
    undefined,
    {},
    { count: '1', resetAt: 1 },
    { count: Number.NaN, resetAt: 1 },
    { count: 0, resetAt: 1 },
    { count: 1 },
  ])('%j is no count of attempts', async (hits) => {
    const world = createWorld({ limits: { hit: async () => untyped<Hits>(hits), release: async () => {} } });
    expect(await outcome(world.login())).toBe('SERVICE_UNAVAILABLE');
    expect(world.evaluations.verify).toBe(0);
  });
});

function throwing(): never {
  throw new Error('connection refused');
}

function without(name: keyof Account, inherited: object): unknown {
  const { [name]: _, ...rest } = storedAccount();
  return Object.assign(Object.create(inherited), rest);
}
