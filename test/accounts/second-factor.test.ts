import { createAccounts, type SecondFactor } from 'doorward/accounts';
import { describe, expect, it } from 'vitest';
import { claimsOf, createWorld, outcome, PASSWORD, START, untyped, type World } from './fixture.ts';

const CODE = '123456';

/** A factor whose good proof is one text, used up by its first use. */
function factor(fields: Partial<SecondFactor> = {}): SecondFactor & { readonly asked: unknown[] } {
  const asked: unknown[] = [];
  const left = new Set<unknown>([CODE]);
  return {
    asked,
    field: 'otp',
    isEnrolled: async () => true,
    async verify(_accountId, proof) {
      asked.push(proof);
      return left.delete(proof) ? ['otp'] : undefined;
    },
    ...fields,
  };
}

const login = ({ accounts }: World, proofs: object, password = PASSWORD) =>
  accounts.login({ username: 'ada', password, ...proofs });

describe('a login with a second factor enrolled', () => {
  it('needs its proof, and says so in the token', async () => {
    const world = createWorld({ factors: [factor()] });
    const { id } = await world.register();
    world.audit.length = 0;
    await expect(login(world, {})).rejects.toMatchObject({ code: 'AUTH_SECOND_FACTOR_REQUIRED', status: 401 });
    expect(await outcome(login(world, { otp: '000000' }))).toBe('AUTH_SECOND_FACTOR_REQUIRED');
    expect(world.audit).toEqual([
      { type: 'login.failed', reason: 'second_factor_missing', accountId: id },
      { type: 'login.failed', reason: 'second_factor_wrong', accountId: id },
    ]);
    expect(await world.accounts.sessionsOf(id)).toEqual([]);
    const { accessToken } = await login(world, { otp: CODE });
    expect(claimsOf(accessToken)).toMatchObject({ amr: ['pwd', 'otp'], acr: 'aal2' });
    expect(await world.accounts.authenticate(accessToken)).toMatchObject({ principal: { session: { acr: 'aal2' } } });
    expect(claimsOf((await world.accounts.refresh(accessToken)).accessToken)).toMatchObject({ acr: 'aal2' });
  });

  it('is asked for after the password only: a wrong password is the ordinary refusal and uses up no proof', async () => {
    const otp = factor();
    const world = createWorld({ factors: [otp] });
    await world.register();
    for (const proofs of [{}, { otp: '000000' }, { otp: CODE }]) {
      expect(await outcome(login(world, proofs, 'a wrong passphrase'))).toBe('AUTH_INVALID_CREDENTIALS');
    }
    expect(otp.asked).toEqual([]);
    expect(await outcome(login(world, { otp: CODE }))).toBe('ok');
  });

  it('LOG-17 does not tell that a disabled account has one', async () => {
    const world = createWorld({ factors: [factor()] });
    const { id } = await world.register();
    await world.accounts.disable(id);
    expect(await outcome(login(world, {}))).toBe('AUTH_INVALID_CREDENTIALS');
    expect(await outcome(login(world, { otp: CODE }))).toBe('AUTH_INVALID_CREDENTIALS');
  });

  it.each([undefined, null, ''])('takes %j for a missing proof, which is no guess', async (otp) => {
    const world = createWorld({ factors: [factor()], loginMaxFailures: 3 });
    await world.register();
    for (let i = 0; i < 20; i += 1) expect(await outcome(login(world, { otp }))).toBe('AUTH_SECOND_FACTOR_REQUIRED');
    expect(await outcome(login(world, { otp: CODE }))).toBe('ok');
  });

  it('counts wrong proofs like wrong passwords: 1,000 parallel guesses reach the factor as often as the limit allows', async () => {
    const otp = factor();
    const world = createWorld({ factors: [otp], loginMaxFailures: 4 });
    await world.register();
    const guesses = Array.from({ length: 1_000 }, (_, i) => outcome(login(world, { otp: `x${i}` })));
    expect(new Set(await Promise.all(guesses))).toEqual(
      new Set(['AUTH_SECOND_FACTOR_REQUIRED', 'HTTP_TOO_MANY_REQUESTS']),
    );
    expect(otp.asked.length).toBe(4);
    expect(await outcome(login(world, { otp: CODE }))).toBe('HTTP_TOO_MANY_REQUESTS');
  });

  it('reads proofs by own properties, and only of factors that are enrolled', async () => {
    const [otp, passkey] = [factor({ isEnrolled: async () => false }), factor({ field: 'passkey' })];
    const world = createWorld({ factors: [otp, passkey] });
    await world.register();
    const inherited = Object.assign(Object.create({ passkey: CODE }), { username: 'ada', password: PASSWORD });
    expect(await outcome(world.accounts.login(inherited))).toBe('AUTH_SECOND_FACTOR_REQUIRED');
    expect(await outcome(login(world, { otp: CODE }))).toBe('AUTH_SECOND_FACTOR_REQUIRED');
    expect([otp.asked, passkey.asked]).toEqual([[], []]);
    expect(await outcome(login(world, { passkey: CODE }))).toBe('ok');
  });

  it('is satisfied by any one of several, and hands the proof on as it is', async () => {
    const [otp, passkey] = [factor(), factor({ field: 'passkey' })];
    const world = createWorld({ factors: [otp, passkey] });
    await world.register();
    const strange = { id: [1, { a: null }] };
    expect(await outcome(login(world, { otp: 7, passkey: strange }))).toBe('AUTH_SECOND_FACTOR_REQUIRED');
    expect([otp.asked, passkey.asked]).toEqual([[7], [strange]]);
    expect(await outcome(login(world, { otp: 'wrong', passkey: CODE }))).toBe('ok');
  });

  it('is asked for by the account: others log in without', async () => {
    const enrolled = new Set<string>();
    const world = createWorld({ factors: [factor({ isEnrolled: async (id) => enrolled.has(id) })] });
    enrolled.add((await world.register()).id);
    await world.register('eve');
    expect(claimsOf((await world.login('eve')).accessToken)).toMatchObject({ amr: ['pwd'], acr: 'aal1' });
    expect(await outcome(world.login())).toBe('AUTH_SECOND_FACTOR_REQUIRED');
  });
});

describe('the class of a login', () => {
  it.each([
    [['otp'], 'aal2'],
    [['hwk', 'user'], 'aal2'],
    [['face'], 'aal2'],
    [['mfa'], 'aal2'],
    [['pin'], 'aal1'],
    [['kba'], 'aal1'],
    [['pwd'], 'aal1'],
    [['user'], 'aal1'],
    [['MFA'], 'aal1'],
    [['__proto__'], 'aal1'],
  ])('after a password and %j is %s', async (amr, acr) => {
    const world = createWorld({ factors: [factor({ verify: async () => amr })] });
    await world.register();
    expect(claimsOf((await login(world, { otp: CODE })).accessToken)).toMatchObject({ acr });
  });
});

describe('a second factor that fails', () => {
  const faults: [string, () => Promise<never>][] = [
    ['rejects', () => Promise.reject(new Error('down'))],
    ['never answers', () => new Promise(() => {})],
    ['throws', untyped(() => JSON.parse('{'))],
  ];

  it.each(faults)('lets nobody in when it %s', async (_, fault) => {
    for (const broken of [factor({ isEnrolled: fault }), factor({ verify: fault })]) {
      const world = createWorld({ factors: [broken], storeTimeoutMs: 20 });
      const { id } = await world.register();
      expect(await outcome(login(world, { otp: CODE }))).toBe('SERVICE_UNAVAILABLE');
      expect(await world.accounts.sessionsOf(id)).toEqual([]);
    }
  });

  it.each([1, 'true', null, undefined, {}, Promise.resolve('yes')])(
    '%j does not tell whether it is enrolled',
    async (flag) => {
      const world = createWorld({ factors: [factor({ isEnrolled: async () => untyped(flag) })] });
      await world.register();
      expect(await outcome(world.login())).toBe('SERVICE_UNAVAILABLE');
    },
  );

  it.each([true, false, null, '', 'otp', {}, [], [7], new Set(['otp'])])('%j is no proof of anything', async (amr) => {
    const world = createWorld({ factors: [factor({ verify: async () => untyped(amr) })] });
    await world.register();
    expect(await outcome(login(world, { otp: CODE }))).toBe('SERVICE_UNAVAILABLE');
  });

  it('is no way to guess uncounted: a proof that was not judged in time counts', async () => {
    const asked: unknown[] = [];
    const verify = (_: string, proof: unknown) => {
      asked.push(proof);
      return new Promise<never>(() => {});
    };
    const world = createWorld({ factors: [factor({ verify })], storeTimeoutMs: 10, loginMaxFailures: 2 });
    await world.register();
    for (let i = 0; i < 5; i += 1) await outcome(login(world, { otp: `x${i}` }));
    expect(asked).toEqual(['x0', 'x1']);
  });
});

describe('the option factors', () => {
  it.each([
    ['no list', untyped({})],
    ['no factor', [untyped<SecondFactor>({})]],
    ['the field of the password', [factor({ field: 'password' })]],
    ['the field of the username', [factor({ field: 'username' })]],
    ['no field', [factor({ field: '' })]],
    ['one field twice', [factor(), factor()]],
  ])('refuses %s', (_, factors) => {
    const { options } = createWorld();
    expect(() => createAccounts({ ...options, factors: untyped(factors) })).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', field: 'factors' }),
    );
  });

  it('is copied: a factor that is added later guards nothing by surprise, one that is taken out still guards', async () => {
    const factors = [factor()];
    const world = createWorld({ factors });
    await world.register();
    factors.length = 0;
    world.time.now = START + 1;
    expect(await outcome(world.login())).toBe('AUTH_SECOND_FACTOR_REQUIRED');
  });
});
