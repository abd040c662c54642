import { createHash } from 'node:crypto';
import { DoorwardError } from 'doorward';
import { createBcryptHasher } from 'doorward/passwords';
import { createMemoryRateLimitStore } from 'doorward/stores/memory';
import { describe, expect, it } from 'vitest';
import { claimsOf, createWorld, outcome, PASSWORD, START, storedAccount, untyped } from './fixture.ts';

const WINDOW = 900_000;

describe('logging in', () => {
  it('answers a token, its lifetime and the account without a hash', async () => {
    const world = createWorld();
    const account = await world.register('Ada');
    const login = await world.accounts.login({ username: 'ada', password: PASSWORD });
    expect(login).toEqual({
      accessToken: expect.any(String),
      expiresInSeconds: 1_800,
      account,
      sessionId: claimsOf(login.accessToken).sid,
    });
    expect(claimsOf(login.accessToken)).toEqual({
      sub: 'Ada',
      uid: account.id,
      auth_time: START / 1_000,
      sid: expect.stringMatching(/^[\w-]{22}$/),
      amr: ['pwd'],
      acr: 'aal1',
      iat: START / 1_000,
      exp: START / 1_000 + 1_800,
      jti: expect.any(String),
    });
  });

  it('puts the e-mail address into the token when it is asked to', async () => {
    const { accounts, register } = createWorld();
    await register();
    const credentials = { username: 'ada', password: PASSWORD };
    const { accessToken } = await accounts.login(credentials, {}, { includeEmail: true });
    expect(claimsOf(accessToken)).toMatchObject({ email: 'ada@example.org' });
  });

  it('gives every login a session and a token of its own', async () => {
    const world = createWorld();
    await world.register();
    const tokens = [await world.login(), await world.login()].map(({ accessToken }) => claimsOf(accessToken));
    expect(tokens[0]?.sid).not.toBe(tokens[1]?.sid);
    expect(tokens[0]?.jti).not.toBe(tokens[1]?.jti);
  });

  it.each([
    ['username', { password: PASSWORD }],
    ['username', { username: 7, password: PASSWORD }],
    ['username', { username: ['ada'], password: PASSWORD }],
    ['username', Object.create({ username: 'ada', password: PASSWORD })],
    ['username', null],
    ['password', { username: 'ada' }],
    ['password', { username: 'ada', password: null }],
    ['password', { username: 'ada', password: 12345678 }],
  ])('refuses a request without a usable %s: %j', async (field, credentials) => {
    const { accounts, evaluations } = createWorld();
    await expect(accounts.login(credentials)).rejects.toMatchObject({ code: 'INPUT_INVALID', status: 400, field });
    expect(evaluations.verify).toBe(0);
  });

  it('TIM-04 every failure is the same error after one evaluation', async () => {
    const world = createWorld();
    await world.register();
    const { id } = await world.register('eve');
    await world.accounts.disable(id);
    const attempts = [
      ['ada', 'a wrong passphrase'],
      ['nobody', PASSWORD],
      ['a/b', PASSWORD],
      ['', PASSWORD],
      ['a\0', PASSWORD],
      ['ada\ud800', PASSWORD],
      ['eve', PASSWORD],
      ['eve', 'a wrong passphrase'],
      ['ada', ''],
      ['ada', `${PASSWORD}\0`],
      ['ada', 'p'.repeat(1_025)],
    ] as const;
    for (const [username, password] of attempts) {
      const before = world.evaluations.verify;
      const error = await world.login(username, password).catch((caught) => caught);
      expect({ ...error, message: error.message }).toEqual({
        name: 'DoorwardError',
        code: 'AUTH_INVALID_CREDENTIALS',
        status: 401,
        message: 'Invalid credentials',
      });
      expect(world.evaluations.verify - before, `${username} ${password.length}`).toBe(1);
    }
  });

  it('LOG-17 a disabled account with the right password looks like a wrong password; the audit says disabled', async () => {
    const world = createWorld();
    const { id } = await world.register();
    await world.accounts.disable(id);
    world.audit.length = 0;
    expect(await outcome(world.login('ada', 'a wrong passphrase'))).toBe('AUTH_INVALID_CREDENTIALS');
    expect(await outcome(world.login('ada', PASSWORD))).toBe('AUTH_INVALID_CREDENTIALS');
    expect(world.audit).toEqual([
      { type: 'login.failed', reason: 'wrong_password', accountId: id },
      { type: 'login.failed', reason: 'disabled', accountId: id },
    ]);
  });

  it.each([
    '',
    'no hash',
    '$2b$31$......................aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
    '$argon2id$v=19$m=1,t=1,p=1$c2E$aGE',
  ])('LOG-15 the stored hash %j is a failed login and an event, never an error of the server', async (passwordHash) => {
    const world = createWorld();
    await world.options.store.create(storedAccount({ passwordHash }));
    expect(await outcome(world.login('ada', PASSWORD))).toBe('AUTH_INVALID_CREDENTIALS');
    expect(world.audit).toEqual([
      { type: 'credential.corrupt', accountId: 'id-ada' },
      { type: 'login.failed', reason: 'credential_corrupt', accountId: 'id-ada' },
    ]);
  });

  it('only the verdict match opens the door', async () => {
    for (const verdict of ['mismatch', 'MATCH', '', undefined, true, {}]) {
      const hasher = { verify: async () => verdict, hash: async () => 'hash', close: async () => {} };
      const world = createWorld({ hasher: untyped(hasher) });
      await world.register();
      expect(await outcome(world.login())).toBe('AUTH_INVALID_CREDENTIALS');
    }
  });

  it('publishes what happened, with the address and without password or typed username', async () => {
    const world = createWorld();
    const { id } = await world.register();
    world.audit.length = 0;
    await outcome(world.login('my secret passphrase', 'typed the wrong way round', '192.0.2.1'));
    await outcome(world.login('ada', 'my secret passphrase', '192.0.2.1'));
    const ip = '192.0.2.1';
    const { sessionId } = await world.login('ada', PASSWORD, ip);
    expect(world.audit).toEqual([
      { type: 'login.failed', reason: 'unknown_username', usernameDigest: expect.stringMatching(/^[\w-]{43}$/), ip },
      { type: 'login.failed', reason: 'wrong_password', accountId: id, ip },
      { type: 'login.succeeded', accountId: id, sessionId, amr: ['pwd'], ip },
      { type: 'token.issued', accountId: id, sessionId, ip },
    ]);
  });
});

describe('AUD-03 what the events tell of a name that nobody has', () => {
  const digestsOf = ({ audit }: ReturnType<typeof createWorld>) =>
    audit.flatMap((event) => (event.type === 'login.failed' ? (event.usernameDigest ?? []) : []));

  it('is equal for equal names, however they are spelt, and another one for another name', async () => {
    const world = createWorld();
    for (const name of ['nobody', 'NoBody', 'somebody']) await outcome(world.login(name));
    const [first, second, third] = digestsOf(world);
    expect(first).toBe(second);
    expect(third).not.toBe(first);
    expect(JSON.stringify(world.audit)).not.toMatch(/body/i);
  });

  it('is keyed: nobody else works it out, and only a configured secret makes it last', async () => {
    const auditSecret = 'a secret of at least 32 bytes, for tests';
    const digests = [];
    for (const options of [{}, {}, { auditSecret }, { auditSecret: Buffer.from(auditSecret) }]) {
      const world = createWorld(options);
      await outcome(world.login('nobody'));
      digests.push(...digestsOf(world));
    }
    expect(new Set(digests).size).toBe(3);
    expect(digests[2]).toBe(digests[3]);
    expect(digests).not.toContain(createHash('sha256').update('nobody').digest('base64url'));
  });

  it('is nothing at all for a name that exists', async () => {
    const world = createWorld();
    await world.register();
    await outcome(world.login('ada', 'wrong'));
    expect(digestsOf(world)).toEqual([]);
  });

  it.each(['', 'short', 'x'.repeat(31), untyped<string>(7), untyped<string>({}), new Uint8Array(31)])(
    'refuses the secret %j',
    (auditSecret) => {
      expect(() => createWorld({ auditSecret })).toThrow(
        expect.objectContaining({ code: 'CONFIG_INVALID', field: 'auditSecret' }),
      );
    },
  );
});

describe('checking a password alone', () => {
  it('tells whose it is, under the limits of a login, and starts no session', async () => {
    const world = createWorld({ loginMaxFailures: 2 });
    const account = await world.register();
    world.audit.length = 0;
    const check = (password: string) => world.accounts.checkPassword({ username: 'Ada', password });
    for (let i = 0; i < 5; i += 1) expect(await check(PASSWORD)).toEqual(account);
    expect([world.audit, await world.accounts.sessionsOf(account.id)]).toEqual([[], []]);
    for (let i = 0; i < 2; i += 1) expect(await outcome(check('wrong'))).toBe('AUTH_INVALID_CREDENTIALS');
    expect(await outcome(check(PASSWORD))).toBe('HTTP_TOO_MANY_REQUESTS');
    expect(await outcome(world.login())).toBe('HTTP_TOO_MANY_REQUESTS');
  });
});

describe('the login guard', () => {
  const fail = async (world: ReturnType<typeof createWorld>, username: string, times: number, ip?: string) => {
    const outcomes = new Set<string>();
    for (let i = 0; i < times; i += 1) outcomes.add(await outcome(world.login(username, `wrong ${i}`, ip)));
    return [...outcomes];
  };

  it.each(['ada', 'nobody'])(
    'LOG-18 refuses the 11th attempt on %s, from whatever address, and the right password too, until the window ends',
    async (username) => {
      const world = createWorld();
      await world.register();
      await world.register('bob');
      for (let i = 0; i < 10; i += 1) {
        expect(await fail(world, username, 1, `192.0.2.${i}`)).toEqual(['AUTH_INVALID_CREDENTIALS']);
      }
      world.time.now += 60_000;
      const evaluated = world.evaluations.verify;
      const error = await world.login(username, PASSWORD, '192.0.2.99').catch((caught) => caught);
      expect({ ...error, message: error.message }).toEqual({
        name: 'DoorwardError',
        code: 'HTTP_TOO_MANY_REQUESTS',
        status: 429,
        message: 'Too many requests',
        retryAfterSeconds: 840,
      });
      expect(world.evaluations.verify).toBe(evaluated);
      expect(await outcome(world.login('bob'))).toBe('ok');
      world.time.now = START + WINDOW - 1;
      expect(await outcome(world.login(username))).toBe('HTTP_TOO_MANY_REQUESTS');
      world.time.now = START + WINDOW;
      expect(await outcome(world.login(username))).toBe(username === 'ada' ? 'ok' : 'AUTH_INVALID_CREDENTIALS');
    },
  );

  it('LOG-18 counts all spellings of a name together', async () => {
    const world = createWorld();
    await world.register('straße');
    for (const name of ['straße', 'STRASSE', 'Straße', 'ＳＴＲＡＳＳＥ', 'strasse']) await fail(world, name, 2);
    expect(await outcome(world.login('strasse'))).toBe('HTTP_TOO_MANY_REQUESTS');
  });

  it('LOG-19 evaluates at most 10 of 1,000 parallel guesses', async () => {
    const world = createWorld();
    await world.register();
    const outcomes = await Promise.all(
      Array.from({ length: 1_000 }, (_, i) => outcome(world.login('ada', `guess ${i}`))),
    );
    expect(world.evaluations.verify).toBeLessThanOrEqual(10);
    expect(new Set(outcomes)).toEqual(new Set(['AUTH_INVALID_CREDENTIALS', 'HTTP_TOO_MANY_REQUESTS']));
  });

  it('LOG-20 counts a /64 and a mapped IPv4 address as one address, 100 failures on any names', async () => {
    for (const ip of [
      (i: number) => `2001:DB8:0:1::${i.toString(16)}`,
      (i: number) => (i % 2 ? '::ffff:192.0.2.1' : '192.0.2.1'),
    ]) {
      const world = createWorld();
      await world.register();
      for (let i = 0; i < 100; i += 1) {
        expect(await outcome(world.login(`user${i}`, 'wrong', ip(i)))).toBe('AUTH_INVALID_CREDENTIALS');
      }
      expect(await outcome(world.login('ada', PASSWORD, ip(1)))).toBe('HTTP_TOO_MANY_REQUESTS');
      expect(await outcome(world.login('ada', PASSWORD, '2001:db8:0:2::1'))).toBe('ok');
    }
  });

  it('takes back the hits of a success, so that logging in often is no attack', async () => {
    const world = createWorld();
    await world.register();
    for (let i = 0; i < 150; i += 1) expect(await outcome(world.login('ada', PASSWORD, '192.0.2.1'))).toBe('ok');
    await fail(world, 'ada', 9, '192.0.2.1');
    expect(await outcome(world.login('ada', PASSWORD, '192.0.2.1'))).toBe('ok');
    expect(await fail(world, 'ada', 1, '192.0.2.1')).toEqual(['AUTH_INVALID_CREDENTIALS']);
    expect(await outcome(world.login('ada', PASSWORD, '192.0.2.1'))).toBe('HTTP_TOO_MANY_REQUESTS');
  });

  it('a success does not forgive the failures before it', async () => {
    const world = createWorld();
    await world.register();
    for (let i = 0; i < 5; i += 1) {
      await fail(world, 'ada', 1);
      await world.login();
    }
    expect(await fail(world, 'ada', 5)).toEqual(['AUTH_INVALID_CREDENTIALS']);
    expect(await outcome(world.login())).toBe('HTTP_TOO_MANY_REQUESTS');
  });

  it('an address over its limit cannot lock the account of somebody else', async () => {
    const world = createWorld({ loginMaxFailures: 2 });
    await world.register();
    for (let i = 0; i < 20; i += 1) await fail(world, `user${i}`, 1, '192.0.2.1');
    expect(await fail(world, 'ada', 50, '192.0.2.1')).toEqual(['HTTP_TOO_MANY_REQUESTS']);
    expect(await fail(world, 'ada', 1, '192.0.2.2')).toEqual(['AUTH_INVALID_CREDENTIALS']);
    expect(await outcome(world.login('ada', PASSWORD, '192.0.2.2'))).toBe('ok');
  });

  it('an address over its limit does not touch the counters of accounts, not even for a moment', async () => {
    const keys: string[] = [];
    const limits = createMemoryRateLimitStore();
    const hit: typeof limits.hit = (key, windowMs, now) => {
      keys.push(key);
      return limits.hit(key, windowMs, now);
    };
    const world = createWorld({ loginMaxFailures: 1, limits: { ...limits, hit } });
    for (let i = 0; i < 10; i += 1) await fail(world, `user${i}`, 1, '192.0.2.1');
    keys.length = 0;
    await fail(world, 'ada', 1, '192.0.2.1');
    expect(keys).toEqual(['login:address:192.0.2.1']);
  });

  it('attempts on a locked account do not use up the address of those who share it', async () => {
    const world = createWorld({ loginMaxFailures: 2 });
    await world.register();
    await fail(world, 'victim', 2, '192.0.2.1');
    expect(await fail(world, 'victim', 100, '192.0.2.1')).toEqual(['HTTP_TOO_MANY_REQUESTS']);
    expect(await outcome(world.login('ada', PASSWORD, '192.0.2.1'))).toBe('ok');
  });

  it('a burst of right logins above the limit leaves nothing behind', async () => {
    const world = createWorld({ loginMaxFailures: 3 });
    await world.register();
    await Promise.all(Array.from({ length: 50 }, () => outcome(world.login('ada', PASSWORD, '192.0.2.1'))));
    expect(await fail(world, 'ada', 3, '192.0.2.1')).toEqual(['AUTH_INVALID_CREDENTIALS']);
  });

  it('says which limit refused, once per attempt', async () => {
    const world = createWorld({ loginMaxFailures: 1 });
    await fail(world, 'ada', 2, '192.0.2.1');
    for (let i = 0; i < 10; i += 1) await fail(world, `user${i}`, 1, '192.0.2.1');
    expect(world.audit.filter(({ type }) => type === 'login.limited')).toEqual([
      { type: 'login.limited', scope: 'account', ip: '192.0.2.1' },
      { type: 'login.limited', scope: 'address', ip: '192.0.2.1' },
    ]);
  });

  it('DOS-02 a busy hasher counts as no attempt, and says when to come back', async () => {
    const small = createBcryptHasher({ cost: 4, workers: 1, queueLimit: 1 });
    const world = createWorld({ hasher: small });
    await world.register();
    const errors = await Promise.all(
      Array.from({ length: 10 }, () => world.login('ada', PASSWORD, '192.0.2.1').catch((error) => error)),
    );
    const busy = errors.filter((error) => error instanceof DoorwardError);
    expect(busy).toHaveLength(8);
    for (const error of busy) expect(error).toMatchObject({ code: 'SERVICE_BUSY', status: 503, retryAfterSeconds: 1 });
    expect(await fail(world, 'ada', 10, '192.0.2.1')).toEqual(['AUTH_INVALID_CREDENTIALS']);
    await small.close();
  });

  it('DOS-03 a name of 1 MB is cut before it is folded, and counted under a key of the usual length', async () => {
    const keys: string[] = [];
    const limits = createMemoryRateLimitStore();
    const hit: typeof limits.hit = (key, windowMs, now) => {
      keys.push(key);
      return limits.hit(key, windowMs, now);
    };
    const world = createWorld({ limits: { ...limits, hit } });
    await outcome(world.login('ada', 'p'.repeat(1_000_000)));
    await outcome(world.login('a'.repeat(1_000_000), PASSWORD));
    await outcome(world.login(`${'a'.repeat(1_000_000)}b`, PASSWORD));
    expect(keys.map((key) => key.length)).toEqual([57, 57, 57]);
    expect(keys[1]).toBe(keys[2]);
    expect(keys.join()).not.toContain('ada');
  });
});
