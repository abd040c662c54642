import { DoorwardError } from 'doorward';
import { commonPasswords, type PasswordHasher } from 'doorward/passwords';
import { describe, expect, it } from 'vitest';
import { createWorld, outcome, PASSWORD, START, storedAccount } from './fixture.ts';

const refusal = (field: string) => expect.objectContaining({ code: 'INPUT_INVALID', status: 400, field });

describe('registering', () => {
  it('answers the account as it may be shown, with the default roles and an ISO 8601 date', async () => {
    const { accounts } = createWorld();
    const account = await accounts.register({ username: 'Ada', password: PASSWORD, email: 'ada@example.org' });
    expect(account).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      username: 'Ada',
      email: 'ada@example.org',
      roles: ['viewer'],
      createdAt: '2026-01-01T12:00:00.000Z',
      disabled: false,
    });
    expect(await accounts.byId(account.id)).toEqual(account);
  });

  it('stores a hash and no password', async () => {
    const world = createWorld();
    await world.register();
    const stored = await world.options.store.byUsernameKey('ada');
    expect(stored?.passwordHash).toMatch(/^\$2b\$04\$/);
    expect(JSON.stringify(stored)).not.toContain(PASSWORD);
  });

  it('LOG-03 shows none of what a store adds to an account, whatever it is called', async () => {
    const record = Object.assign(storedAccount({ passwordHash: 'secret-1' }), {
      password_hash: 'secret-2',
      otp: 'secret-3',
    });
    const store = { ...createWorld().options.store, byId: async () => record, update: async () => record };
    const { accounts } = createWorld({ store });
    for (const shown of [await accounts.byId('id-ada'), await accounts.enable('id-ada')]) {
      expect(Object.keys(shown ?? {})).toEqual(['id', 'username', 'roles', 'createdAt', 'disabled']);
      expect(JSON.stringify(shown)).not.toContain('secret');
    }
  });

  it.each([
    ['alice', 'Alice'],
    ['alice', 'ALİCE'],
    ['alice', 'alıce'],
    ['alice', 'ａｌｉｃｅ'],
    ['straße', 'STRASSE'],
    ['straße', 'STRAẞE'],
    ['οδος', 'ΟΔΟΣ'],
    ['οδοσ', 'οδος'],
    ['ﬁnn', 'FINN'],
    ['zoë', 'zoe\u0308'],
  ])('LOG-08 when %s exists, %s is no second account', async (taken, other) => {
    const { accounts, register } = createWorld();
    const { id } = await register(taken);
    const code = await outcome(register(other));
    expect(['ACCOUNT_EXISTS', 'INPUT_INVALID']).toContain(code);
    expect((await accounts.byId(id))?.username).toBe(taken);
    if (code === 'ACCOUNT_EXISTS') {
      const login = await accounts.login({ username: other, password: PASSWORD });
      expect(login.account.id).toBe(id);
    }
  });

  it('LOG-08 lets one of 20 parallel registrations of a name win', async () => {
    const { register } = createWorld();
    const names = ['alice', 'Alice', 'ALICE', 'ALİCE', 'ａｌｉｃｅ'];
    const outcomes = await Promise.all(Array.from({ length: 20 }, (_, i) => outcome(register(names[i % 5]))));
    expect(outcomes.filter((code) => code === 'ok')).toHaveLength(1);
    expect(outcomes.filter((code) => code === 'ACCOUNT_EXISTS')).toHaveLength(19);
  });

  it.each([
    ['empty', ''],
    ['65 letters', 'a'.repeat(65)],
    ['65 letters beyond the basic plane', '𠀀'.repeat(65)],
    ['1 MB', 'a'.repeat(1_000_000)],
    ['a slash', 'a/b'],
    ['a NUL', 'a\0'],
    ['a tag', '<script>'],
    ['a direction override', 'admin\u202e'],
    ['a zero-width joiner', 'ad\u200dmin'],
    ['an invisible letter', 'admin\u3164'],
    ['an invisible letter of the same script', '김\u3164'],
    ['an invisible letter before NFKC', '김\uffa0'],
    ['a letter that NFKC takes apart into a letter and a mark', '\u0958'],
    ['a lone surrogate', 'admin\ud800'],
    ['a space', 'ad min'],
    ['a line end', 'admin\n'],
    ['a letter that NFKC makes a slash of', 'ad\u2100min'],
    ['a word of 18 letters and spaces in one letter', '\ufdfa'],
    ['a combining mark', 'a\u0323dmin'],
    ['an emoji', 'ada😀'],
    ['a number', 42],
    ['an array', ['ada']],
    ['an object', { toString: () => 'ada' }],
    ['null', null],
    ['nothing', undefined],
  ])('LOG-09 a username of %s is refused without being repeated', async (_, username) => {
    const { accounts, evaluations } = createWorld();
    const error = await accounts.register({ username, password: PASSWORD, email: 'a@example.org' }).catch((e) => e);
    expect(error).toEqual(refusal('username'));
    if (typeof username === 'string' && username.length > 1) expect(error.message).not.toContain(username);
    expect(evaluations.hash).toBe(0);
  });

  it.each([
    ['Cyrillic а in Latin', 'аdmin'],
    ['Greek ο in Latin', 'bοb'],
    ['Latin a in Cyrillic', 'привaт'],
    ['Armenian օ in Latin', 'bօb'],
    ['Greek in Cyrillic', 'приβет'],
    ['Arabic digits in Latin', 'ada٣'],
    ['Cherokee, which looks like Latin', 'ᎪᎠᎪ'],
  ])('LOG-11 %s is refused', async (_, username) => {
    await expect(createWorld().register(username)).rejects.toEqual(refusal('username'));
  });

  it.each([
    'a',
    '7',
    'a'.repeat(64),
    'ada.lovelace+news@example-host_1',
    'привет',
    'καλημέρα',
    'さくら',
    'サクラ',
    '山田太郎',
    '山田たろう',
    '김철수',
    'محمد',
    'ada7',
    'привет-7',
    '𠮷野',
    'Zoë',
    'Łukasz',
    '__proto__',
    'constructor',
  ])('LOG-11 the name %s of one script is accepted and shown as it was spelt', async (username) => {
    expect((await createWorld().register(username)).username).toBe(username);
  });

  it.each([
    ['7 characters', '1234567'],
    ['1,025 characters', 'p'.repeat(1_025)],
    ['1 MB', 'p'.repeat(1_000_000)],
    ['NUL', 'a good\0passphrase'],
    ['the username', 'lovelace'],
    ['the username in another case', 'LoveLace'],
    ['a common one', 'sunshine'],
    ['a number', 12345678],
    ['nothing', undefined],
  ])('LOG-12 a password of %s is refused without being repeated or hashed', async (_, password) => {
    const { accounts, evaluations } = createWorld();
    const error = await accounts.register({ username: 'lovelace', password, email: 'a@example.org' }).catch((e) => e);
    expect(error).toEqual(refusal('password'));
    expect(error.message).not.toContain(String(password ?? 'undefined'));
    expect(evaluations.hash).toBe(0);
  });

  it('LOG-12 follows the password rules of the options', async () => {
    const strict = createWorld({ passwordRules: { minLength: 20 } });
    await expect(strict.register()).rejects.toEqual(refusal('password'));
    const lax = createWorld({ passwordRules: { forbidden: new Set() } });
    expect(commonPasswords().has('sunshine')).toBe(true);
    const input = { username: 'ada', password: 'sunshine', email: 'a@example.org' };
    expect(await outcome(lax.accounts.register(input))).toBe('ok');
  });

  it.each(['a@example.org', 'a.b+c@sub.example.org', "o'hara@example.org", 'ü@exämple.org', 'root@localhost'])(
    'the e-mail address %s is accepted',
    async (email) => {
      const { accounts } = createWorld();
      expect((await accounts.register({ username: 'ada', password: PASSWORD, email })).email).toBe(email);
    },
  );

  it.each([
    'example.org',
    '@example.org',
    'a@',
    'a@b@c',
    'a b@example.org',
    'a@example..org',
    'a@.org',
    'a@example.org.',
    'a@example.org\r\nBcc: b@example.org',
    'a\0@example.org',
    'a\ud800@example.org',
    `${'a'.repeat(65)}@example.org`,
    `a@${'b'.repeat(260)}`,
    7,
    null,
    ['a@example.org'],
  ])('the e-mail address %j is refused', async (email) => {
    const { accounts } = createWorld();
    await expect(accounts.register({ username: 'ada', password: PASSWORD, email })).rejects.toEqual(refusal('email'));
  });

  it('an e-mail address is needed unless the options say otherwise', async () => {
    const input = { username: 'ada', password: PASSWORD };
    await expect(createWorld().accounts.register(input)).rejects.toEqual(refusal('email'));
    expect(await createWorld({ emailRequired: false }).accounts.register(input)).not.toHaveProperty('email');
  });

  it('inherited fields and inputs that are no object do not count', async () => {
    const { accounts } = createWorld();
    const inherited = Object.create({ username: 'ada', password: PASSWORD, email: 'a@example.org' });
    for (const input of [inherited, null, undefined, 'ada', 7]) {
      await expect(accounts.register(input)).rejects.toEqual(refusal('username'));
    }
  });

  it('a registration cannot choose its roles, id or state', async () => {
    const { accounts } = createWorld();
    const more = { roles: ['admin'], id: 'mine', disabled: true, department: 'board', passwordHash: 'x' };
    const account = await accounts.register({ username: 'ada', password: PASSWORD, email: 'a@example.org', ...more });
    expect(account).toMatchObject({ roles: ['viewer'], disabled: false });
    expect(account.id).not.toBe('mine');
    expect(account).not.toHaveProperty('department');
  });

  it('publishes one event, without password or e-mail address', async () => {
    const { accounts, audit } = createWorld();
    const input = { username: 'Ada', password: PASSWORD, email: 'ada@example.org' };
    const { id } = await accounts.register(input, { ip: '192.0.2.1' });
    expect(audit).toEqual([{ type: 'account.registered', accountId: id, username: 'Ada', ip: '192.0.2.1' }]);
  });
});

describe('registrations from one address', () => {
  const from = (world: ReturnType<typeof createWorld>, ip: string | undefined, username: string) =>
    outcome(world.accounts.register({ username, password: PASSWORD, email: 'a@example.org' }, { ip }));

  it('are limited to 10 an hour, taken names among them, and free again after the hour', async () => {
    const world = createWorld();
    for (let i = 0; i < 9; i += 1) expect(await from(world, '192.0.2.1', `user${i}`)).toBe('ok');
    expect(await from(world, '192.0.2.1', 'user0')).toBe('ACCOUNT_EXISTS');
    const refused = world.accounts.register(
      { username: 'late', password: PASSWORD, email: 'a@example.org' },
      { ip: '::ffff:192.0.2.1' },
    );
    await expect(refused).rejects.toMatchObject({ code: 'HTTP_TOO_MANY_REQUESTS', retryAfterSeconds: 3_600 });
    expect(world.evaluations.hash).toBe(10);
    expect(await from(world, '192.0.2.2', 'other')).toBe('ok');
    world.time.now = START + 3_600_000;
    expect(await from(world, '192.0.2.1', 'late')).toBe('ok');
  });

  it('do not count when the hasher is busy', async () => {
    let busy = true;
    const hasher: PasswordHasher = {
      hash: async () => {
        if (busy) throw new DoorwardError('SERVICE_BUSY', { retryAfterSeconds: 1 });
        return 'hash';
      },
      verify: async () => 'mismatch',
      recognises: () => true,
      needsRehash: () => false,
      close: async () => {},
    };
    const world = createWorld({ hasher, registerMaxPerHour: 1 });
    for (let i = 0; i < 5; i += 1) expect(await from(world, '192.0.2.1', 'ada')).toBe('SERVICE_BUSY');
    busy = false;
    expect(await from(world, '192.0.2.1', 'ada')).toBe('ok');
    expect(await from(world, '192.0.2.1', 'bob')).toBe('HTTP_TOO_MANY_REQUESTS');
  });

  it('are not limited for malformed requests, nor without an address', async () => {
    const world = createWorld({ registerMaxPerHour: 1 });
    for (let i = 0; i < 5; i += 1) expect(await from(world, '192.0.2.1', 'a/b')).toBe('INPUT_INVALID');
    expect(await from(world, '192.0.2.1', 'ada')).toBe('ok');
    for (let i = 0; i < 5; i += 1) expect(await from(world, undefined, `user${i}`)).toBe('ok');
  });
});

describe('what follows a registration', () => {
  it('is told the account before the registration is answered', async () => {
    const told: unknown[] = [];
    const { register } = createWorld({
      onRegistered: async (account) => {
        told.push(account);
      },
    });
    const account = await register();
    expect(told).toEqual([account]);
  });

  it.each([
    ['rejects', () => Promise.reject(new Error('no room'))],
    ['never ends', () => new Promise<void>(() => {})],
  ])('undoes the registration when it %s', async (_, onRegistered) => {
    const world = createWorld({ onRegistered, storeTimeoutMs: 30 });
    expect(await outcome(world.register())).toBe('SERVICE_UNAVAILABLE');
    expect(await world.options.store.byUsernameKey('ada')).toBeUndefined();
    expect(world.audit).toEqual([]);
  });
});
