import { createAccounts, type FirstStep, type SecondFactor } from 'doorward/accounts';
import { createBcryptHasher } from 'doorward/passwords';
import { describe, expect, it, vi } from 'vitest';
import { claimsOf, createWorld, outcome, PASSWORD, START, untyped, type World } from '../accounts/fixture.ts';

const CODE = '123456';
const FROM = { ip: '192.0.2.1', requestId: 'r-1' };
const NEXT = 'an even better passphrase';

/** One good code for each account that is enrolled, which is all of them until told otherwise. */
function factor(isEnrolled: (id: string) => boolean = () => true): SecondFactor & { readonly asked: string[] } {
  const asked: string[] = [];
  const used = new Set<string>();
  return {
    asked,
    field: 'otp',
    isEnrolled: async (id) => isEnrolled(id),
    async verify(id, proof) {
      asked.push(id);
      if (proof !== `${CODE}-${id}` || used.has(id)) return undefined;
      used.add(id);
      return ['otp'];
    },
  };
}

const begin = ({ accounts }: World, username = 'ada', password = PASSWORD, proofs: object = {}) =>
  accounts.beginLogin({ username, password, ...proofs }, FROM);

async function ticketOf(step: Promise<FirstStep>): Promise<string> {
  const first = await step;
  if (first.kind !== 'second_factor') throw new Error('no second factor was asked for');
  return first.ticket;
}

const finish = ({ accounts }: World, ticket: unknown, otp: unknown) => accounts.finishLogin(ticket, { otp }, FROM);

describe('the first step of a login', () => {
  it('LOG-17 completes a login without a factor, with the same answers, events and limits as one in one step', async () => {
    const [one, two] = [createWorld({ loginMaxFailures: 2 }), createWorld({ loginMaxFailures: 2 })];
    const told = async (world: World, verb: 'login' | 'beginLogin') => {
      const { id } = await world.register();
      await world.register('eve');
      await world.accounts.disable((await world.register('off')).id);
      world.audit.length = 0;
      world.evaluations.verify = 0;
      const answers: string[] = [];
      for (const [username, password] of [
        ['ada', PASSWORD],
        ['nobody', PASSWORD],
        ['off', PASSWORD],
        ['a b', PASSWORD],
        ['ada', 'wrong'],
        ['ada', 'wrong'],
        ['ada', PASSWORD],
        ['ada', 7],
        [undefined, PASSWORD],
      ]) {
        answers.push(await outcome(world.accounts[verb]({ username, password }, FROM)));
      }
      const events = world.audit.map(({ type, ...event }) => [type, 'reason' in event && event.reason]);
      return {
        answers,
        events,
        evaluations: world.evaluations.verify,
        sessions: (await world.accounts.sessionsOf(id)).length,
      };
    };
    const inOne = await told(one, 'login');
    expect(await told(two, 'beginLogin')).toEqual(inOne);
    expect(inOne.answers).toContain('HTTP_TOO_MANY_REQUESTS');
  });

  it('hands the options of a login on', async () => {
    const world = createWorld();
    await world.register();
    const credentials = { username: 'ada', password: PASSWORD };
    const step = await world.accounts.beginLogin(credentials, {}, { sessionToken: true });
    expect(step).toMatchObject({ kind: 'complete', login: { sessionToken: expect.any(String) } });
    const refused = world.accounts.beginLogin(credentials, {}, { sessionToken: true, refreshToken: true });
    expect(await outcome(refused)).toBe('INPUT_INVALID');
  });

  it('starts no session where a factor is enrolled, and tells nobody of a failed login', async () => {
    const world = createWorld({ factors: [factor()] });
    const { id } = await world.register();
    world.audit.length = 0;
    const step = await begin(world);
    expect(step).toEqual({ kind: 'second_factor', fields: ['otp'], ticket: expect.any(String) });
    expect(world.audit).toEqual([]);
    expect(await world.accounts.sessionsOf(id)).toEqual([]);
  });

  it('tells nothing of factors to whoever has not the password', async () => {
    const world = createWorld({ factors: [factor()] });
    const { id } = await world.register();
    expect(await outcome(begin(world, 'ada', 'wrong'))).toBe('AUTH_INVALID_CREDENTIALS');
    await world.accounts.disable(id);
    expect(await outcome(begin(world))).toBe('AUTH_INVALID_CREDENTIALS');
  });

  it('takes a proof that is there at once, and counts a wrong one', async () => {
    const world = createWorld({ factors: [factor()], loginMaxFailures: 1 });
    const { id } = await world.register();
    expect(await begin(world, 'ada', PASSWORD, { otp: `${CODE}-${id}` })).toMatchObject({ kind: 'complete' });
    expect(await outcome(begin(world, 'ada', PASSWORD, { otp: 'x' }))).toBe('AUTH_SECOND_FACTOR_REQUIRED');
    expect(await outcome(begin(world))).toBe('HTTP_TOO_MANY_REQUESTS');
  });
});

describe('the second step of a login', () => {
  it('completes it with a proof, and only with one', async () => {
    const world = createWorld({ factors: [factor()] });
    const { id } = await world.register();
    const ticket = await ticketOf(begin(world));
    world.audit.length = 0;
    for (const otp of [undefined, null, '']) {
      expect(await outcome(finish(world, ticket, otp))).toBe('AUTH_SECOND_FACTOR_REQUIRED');
    }
    expect(await outcome(finish(world, ticket, 'wrong'))).toBe('AUTH_SECOND_FACTOR_REQUIRED');
    expect(world.audit.map((event) => 'reason' in event && event.reason)).toEqual([
      ...Array.from({ length: 3 }, () => 'second_factor_missing'),
      'second_factor_wrong',
    ]);
    expect(await world.accounts.sessionsOf(id)).toEqual([]);
    const login = await world.accounts.finishLogin(ticket, { otp: `${CODE}-${id}` }, FROM, { sessionToken: true });
    expect(claimsOf(login.accessToken)).toMatchObject({ uid: id, amr: ['pwd', 'otp'], acr: 'aal2' });
    expect(await world.accounts.grants.findBySessionToken(login.sessionToken)).toMatchObject({ account: { id } });
    expect(world.auditTypes().slice(-2)).toEqual(['login.succeeded', 'token.issued']);
    expect(await outcome(finish(world, ticket, `${CODE}-${id}`))).toBe('AUTH_SECOND_FACTOR_REQUIRED');
  });

  it('is for the account of the ticket: nobody finishes the login of somebody else with a factor of their own', async () => {
    const otp = factor();
    const world = createWorld({ factors: [otp] });
    const [ada, eve] = [await world.register(), await world.register('eve')];
    const ticket = await ticketOf(begin(world));
    const proofs = { otp: `${CODE}-${eve.id}`, username: 'eve', accountId: eve.id };
    expect(await outcome(world.accounts.finishLogin(ticket, proofs))).toBe('AUTH_SECOND_FACTOR_REQUIRED');
    expect(otp.asked).toEqual([ada.id]);
  });

  it('refuses tickets that were changed, cut, made elsewhere or are none', async () => {
    const otp = factor();
    const world = createWorld({ factors: [otp] });
    const { id } = await world.register();
    const ticket = await ticketOf(begin(world));
    const other = createAccounts({ ...world.options, ticketSecret: 'another secret of at least 32 bytes!' });
    const foreign = await ticketOf(other.beginLogin({ username: 'ada', password: PASSWORD }));
    const flipped = Array.from(
      ticket,
      (letter, at) => ticket.slice(0, at) + (letter === 'A' ? 'B' : 'A') + ticket.slice(at + 1),
    );
    const strange = [
      '',
      'x',
      'A'.repeat(38),
      'A'.repeat(10_000_000),
      undefined,
      null,
      7,
      {},
      [ticket],
      Buffer.from(ticket),
    ];
    world.audit.length = 0;
    for (const bad of [
      ...flipped,
      ticket.slice(1),
      ticket.slice(0, -1),
      `${ticket}=`,
      `${ticket}A`,
      ` ${ticket}`,
      foreign,
      ...strange,
    ]) {
      expect(await outcome(finish(world, bad, `${CODE}-${id}`))).toBe('AUTH_INVALID_CREDENTIALS');
    }
    expect(otp.asked).toEqual([]);
    expect(world.audit[0]).toEqual({ type: 'login.failed', reason: 'ticket_invalid', ...FROM });
    expect(JSON.stringify(world.audit)).not.toContain(ticket.slice(0, 40));
    expect(await outcome(finish(world, ticket, `${CODE}-${id}`))).toBe('ok');
  });

  it('CLK-05 refuses a ticket at the millisecond at which it is 5 minutes old', async () => {
    const world = createWorld({ factors: [factor()] });
    const { id } = await world.register();
    const ticket = await ticketOf(begin(world));
    world.time.now = START + 300_000;
    expect(await outcome(finish(world, ticket, `${CODE}-${id}`))).toBe('AUTH_INVALID_CREDENTIALS');
    world.time.now = START + 299_999;
    expect(await outcome(finish(world, ticket, `${CODE}-${id}`))).toBe('ok');
  });

  it.each<[string, string, (world: World, id: string) => unknown]>([
    ['a new password', 'credentials_changed', ({ accounts }, id) => accounts.setPassword(id, NEXT)],
    ['the account disabled', 'disabled', ({ accounts }, id) => accounts.disable(id)],
    ['the account removed', 'unknown_account', ({ accounts }, id) => accounts.remove(id)],
    [
      'the username registered again',
      'unknown_account',
      async (world, id) => {
        await world.accounts.remove(id);
        await world.register();
      },
    ],
  ])('refuses a ticket after %s, and uses no proof up', async (_, reason, change) => {
    const otp = factor();
    const world = createWorld({ factors: [otp] });
    const { id } = await world.register();
    const ticket = await ticketOf(begin(world));
    await change(world, id);
    expect(await outcome(finish(world, ticket, `${CODE}-${id}`))).toBe('AUTH_INVALID_CREDENTIALS');
    expect(world.audit.at(-1)).toMatchObject({ type: 'login.failed', reason });
    expect(otp.asked).toEqual([]);
  });

  it.each<[string, (world: World, id: string) => unknown]>([
    ['a new password', ({ accounts }, id) => accounts.setPassword(id, NEXT)],
    ['the account disabled', ({ accounts }, id) => accounts.disable(id)],
  ])('starts no session when %s comes while the proof is judged', async (_, change) => {
    const otp = factor();
    const world = createWorld({
      factors: [
        {
          ...otp,
          async verify(id, proof) {
            const amr = await otp.verify(id, proof);
            await change(world, id);
            return amr;
          },
        },
      ],
    });
    const { id } = await world.register();
    const ticket = await ticketOf(begin(world));
    expect(await outcome(finish(world, ticket, `${CODE}-${id}`))).toBe('AUTH_INVALID_CREDENTIALS');
    expect(await world.accounts.sessionsOf(id)).toEqual([]);
  });

  it('lets nobody in by a ticket alone once no factor is enrolled, before the session and after', async () => {
    const enrolled = [true];
    const world = createWorld({ factors: [factor(() => enrolled[0] ?? false)] });
    const { id } = await world.register();
    const ticket = await ticketOf(begin(world));
    enrolled[0] = false;
    const start = vi.spyOn(world.options.sessions, 'start');
    for (const otp of [undefined, 'x', `${CODE}-${id}`]) {
      expect(await outcome(finish(world, ticket, otp))).toBe('AUTH_INVALID_CREDENTIALS');
    }
    expect(start).not.toHaveBeenCalled();
    const answers = [true, true, false];
    const late = createWorld({ factors: [factor(() => answers.shift() ?? false)] });
    const { id: other } = await late.register();
    expect(await outcome(finish(late, await ticketOf(begin(late)), `${CODE}-${other}`))).toBe(
      'AUTH_INVALID_CREDENTIALS',
    );
    expect(await late.accounts.sessionsOf(other)).toEqual([]);
  });

  it('lets 100 parallel wrong proofs reach the factor as often as the limit of logins allows, whatever the ticket', async () => {
    const otp = factor();
    const world = createWorld({ factors: [otp], loginMaxFailures: 4 });
    const { id } = await world.register();
    const tickets = [await ticketOf(begin(world)), await ticketOf(begin(world))];
    const guesses = Array.from({ length: 100 }, (_, i) => outcome(finish(world, tickets[i % 2], `x${i}`)));
    expect(new Set(await Promise.all(guesses))).toEqual(
      new Set(['AUTH_SECOND_FACTOR_REQUIRED', 'HTTP_TOO_MANY_REQUESTS']),
    );
    expect(otp.asked).toHaveLength(4);
    for (const late of [begin(world), finish(world, tickets[0], `${CODE}-${id}`), world.login()]) {
      expect(await outcome(late)).toBe('HTTP_TOO_MANY_REQUESTS');
    }
  });

  it('does not count first steps, missing proofs and good ones', async () => {
    const world = createWorld({ factors: [factor()], loginMaxFailures: 2 });
    const { id } = await world.register();
    const ticket = await ticketOf(begin(world));
    for (let i = 0; i < 10; i += 1) {
      await ticketOf(begin(world));
      expect(await outcome(finish(world, ticket, undefined))).toBe('AUTH_SECOND_FACTOR_REQUIRED');
    }
    expect(await outcome(finish(world, ticket, `${CODE}-${id}`))).toBe('ok');
    expect(await outcome(begin(world))).toBe('ok');
  });

  it('counts a proof that was not judged in time, and none that was never asked for', async () => {
    const asked: unknown[] = [];
    const down = { isEnrolled: false };
    const slow: SecondFactor = {
      field: 'otp',
      isEnrolled: async () => (down.isEnrolled ? Promise.reject(new Error('down')) : true),
      verify: (_, proof) => {
        asked.push(proof);
        return new Promise<never>(() => {});
      },
    };
    const world = createWorld({ factors: [slow], storeTimeoutMs: 20, loginMaxFailures: 2 });
    await world.register();
    const ticket = await ticketOf(begin(world));
    down.isEnrolled = true;
    for (let i = 0; i < 5; i += 1) expect(await outcome(finish(world, ticket, 'x'))).toBe('SERVICE_UNAVAILABLE');
    down.isEnrolled = false;
    for (let i = 0; i < 5; i += 1) await outcome(finish(world, ticket, `x${i}`));
    expect(asked).toEqual(['x0', 'x1']);
  });
});

describe('the ticket', () => {
  it('is good in every process that has the secret, and tells nothing', async () => {
    const ticketSecret = 'T7q2Wn9xLs4Vb8Kd1Hf6Jz3Rm5Yc0Gp-';
    const world = createWorld({ factors: [factor()], ticketSecret });
    const { id } = await world.register();
    const ticket = await ticketOf(begin(world));
    expect(ticket).toMatch(/^[\w-]+$/);
    const opened = Buffer.from(ticket, 'base64url').toString('latin1');
    for (const secret of [id, 'ada', 'accountId']) expect(opened).not.toContain(secret);
    expect(await ticketOf(begin(world))).not.toBe(ticket);
    const elsewhere = createAccounts({ ...world.options, ticketSecret: Buffer.from(ticketSecret) });
    expect(await outcome(elsewhere.finishLogin(ticket, { otp: `${CODE}-${id}` }))).toBe('ok');
  });

  it.each(['short', new Uint8Array(31), 7, null, {}])('is not sealed with %j', (secret) => {
    const { options } = createWorld();
    expect(() => createAccounts({ ...options, ticketSecret: untyped(secret) })).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', field: 'ticketSecret' }),
    );
  });

  it('stays good when the first step itself brings the hash up to date', async () => {
    const old = createBcryptHasher({ cost: 4, workers: 1 });
    const next = createBcryptHasher({ cost: 5, workers: 1 });
    const world = createWorld({ factors: [factor()], hasher: old });
    const { id } = await world.register();
    const now = createWorld({ ...world.options, hasher: next });
    const ticket = await ticketOf(begin(now));
    expect(now.auditTypes()).toContain('credential.rehashed');
    expect(await outcome(finish(now, ticket, `${CODE}-${id}`))).toBe('ok');
    await Promise.all([old.close(), next.close()]);
  });
});
