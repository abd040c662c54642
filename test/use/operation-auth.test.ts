import { type Authentication, DoorwardError, type Principal } from 'doorward';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  createOperationAuth,
  type Entered,
  isRefusal,
  type OperationAuth,
  type OperationAuthOptions,
} from '../../src/use/graphql/operation-auth.ts';

const session = { id: 's1', tokenId: 't', authTime: 0, expiresAt: 1_000, amr: [] };
const ada: Principal = { id: 'ada', roles: [], attributes: {}, session };
const good = (principal: Principal = ada): Authentication => ({ ok: true, principal });
const bad: Authentication = { ok: false, reason: 'unknown' };
const token = { kind: 'token', token: 'x' } as const;

let clock = 0;
beforeEach(() => {
  clock = 0;
  vi.useFakeTimers();
});
afterEach(() => vi.useRealTimers());

function create(options: Partial<OperationAuthOptions> = {}): OperationAuth {
  return createOperationAuth({ authenticate: () => good(), environment: () => ({ time: clock }), ...options });
}
async function enter(auth: OperationAuth): Promise<Entered> {
  const entered = await auth.enter(token, {});
  if (isRefusal(entered)) throw new Error(JSON.stringify(entered));
  return entered;
}
/** A promise that is settled by hand. */
function later<T>() {
  const settled: { resolve(value: T): void } = { resolve: () => {} };
  const promise = new Promise<T>((resolve) => {
    settled.resolve = resolve;
  });
  return { promise, resolve: (value: T) => settled.resolve(value) };
}

describe('who enters', () => {
  it.each([
    ['a token that is not good', { authenticate: () => bad }, token, 401, 'Bearer error="invalid_token"'],
    ['a malformed header', {}, { kind: 'invalid' } as const, 401, 'Bearer error="invalid_token"'],
    [
      'a token without its proof',
      {},
      { kind: 'invalid', scheme: 'DPoP', error: 'invalid_dpop_proof' } as const,
      401,
      expect.stringMatching(/^DPoP error="invalid_dpop_proof"/),
    ],
    ['a principal without an id', { authenticate: () => good({ ...ada, id: '' }) }, token, 401, expect.anything()],
    ['a connection that is refused', { authenticateCaller: () => bad }, { kind: 'none' } as const, 401, 'Bearer'],
    ['a store that is down', { authenticate: () => Promise.reject(new Error('db')) }, token, 503, undefined],
    [
      'an authenticator that throws',
      {
        authenticate: () => {
          throw new Error('db');
        },
      },
      token,
      503,
      undefined,
    ],
  ])('%s is refused', async (_, options, presented, status, challenge) => {
    const answer = await create(options).enter(presented, {});
    expect(answer).toEqual({ status, headers: expect.anything(), body: { error: expect.any(String) } });
    expect(isRefusal(answer) && answer.headers['www-authenticate']).toEqual(challenge);
    expect(JSON.stringify(answer)).not.toContain('db');
  });

  it('tells when to come again, if that is known, and tells onError the cause', async () => {
    const errors: unknown[] = [];
    const down = new DoorwardError('SERVICE_UNAVAILABLE', { retryAfterSeconds: 7 });
    const onError = (error: unknown) => {
      errors.push(error);
      throw error;
    };
    const answer = await create({ authenticate: () => Promise.reject(down), onError }).enter(token, {});
    expect(answer).toMatchObject({ status: 503, headers: { 'retry-after': '7' } });
    expect(errors).toEqual([down]);
  });

  it('nobody known enters without a token, and is asked for none later', async () => {
    const entered = (await create().enter({ kind: 'none' }, {})) as Entered;
    expect(entered.auth.principal).toBeUndefined();
    expect(entered.auth.reauthenticate).toBeUndefined();
    expect(entered.auth.signal.aborted).toBe(false);
  });

  it('a caller is known by what its connection proves, and authenticated anew by it', async () => {
    const authenticateCaller = vi.fn(() => good());
    const entered = (await create({ authenticateCaller }).enter({ kind: 'none' }, { ip: '192.0.2.1' })) as Entered;
    expect(entered.auth.principal).toEqual(ada);
    authenticateCaller.mockReturnValue(undefined as never);
    expect(await entered.auth.reauthenticate?.()).toBeUndefined();
    expect(entered.auth.signal.aborted).toBe(true);
    expect(authenticateCaller).toHaveBeenCalledWith({ ip: '192.0.2.1' });
  });

  it('every operation has an identity of its own', async () => {
    const auth = create();
    const [first, second] = [await enter(auth), await enter(auth)];
    expect(first.auth).not.toBe(second.auth);
    expect(first.auth.principal).not.toBe(second.auth.principal);
    expect(await first.auth.reauthenticate?.()).not.toBe(first.auth.principal);
  });
});

describe('an operation ends', () => {
  const reasonOf = ({ auth: { signal } }: Entered) => (signal.aborted ? (signal.reason as DoorwardError).code : '');

  it('when its token does, by the clock and not by the timer', async () => {
    const entered = await enter(create());
    expect(reasonOf(entered)).toBe('');
    clock = 999_999;
    vi.advanceTimersByTime(1_000_000);
    expect(reasonOf(entered)).toBe('');
    clock = 1_000_000;
    vi.advanceTimersByTime(1);
    expect(reasonOf(entered)).toBe('AUTH_NOT_AUTHENTICATED');
  });

  it('not before, though a timer cannot wait for a hundred days', async () => {
    const far = { ...session, expiresAt: 8_640_000 };
    const environment = vi.fn(() => ({ time: clock }));
    const entered = await enter(create({ authenticate: () => good({ ...ada, session: far }), environment }));
    expect(reasonOf(entered)).toBe('');
    vi.advanceTimersByTime(2 ** 31 - 2);
    expect(environment).toHaveBeenCalledOnce();
    clock = 8_640_000_000;
    vi.advanceTimersByTime(1);
    expect(reasonOf(entered)).toBe('AUTH_NOT_AUTHENTICATED');
  });

  it.each([Number.NaN, -1, 0])('at once when its end is %d', async (expiresAt) => {
    const entered = await enter(create({ authenticate: () => good({ ...ada, session: { ...session, expiresAt } }) }));
    expect(reasonOf(entered)).toBe('AUTH_NOT_AUTHENTICATED');
  });

  it('when nobody can tell whether its token has', async () => {
    const errors: unknown[] = [];
    const environment = () => {
      throw new Error('no clock');
    };
    const entered = await enter(create({ environment, onError: (error) => errors.push(error) }));
    expect(reasonOf(entered)).toBe('SERVICE_UNAVAILABLE');
    expect(errors).toHaveLength(1);
  });

  it('when it is over, and leaves no timer', async () => {
    const entered = await enter(create());
    expect(reasonOf(entered)).toBe('');
    expect(vi.getTimerCount()).toBe(1);
    entered.leave();
    expect(vi.getTimerCount()).toBe(0);
    expect(entered.auth.signal.reason).toMatchObject({ name: 'AbortError' });
    expect(await entered.auth.reauthenticate?.()).toBeUndefined();
    const silent = await enter(create());
    silent.leave();
    expect(silent.auth.signal.aborted).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('when it is revoked, whether or not anybody has asked for its signal; others go on', async () => {
    const auth = create();
    const [asked, silent] = [await enter(auth), await enter(auth)];
    expect(reasonOf(asked)).toBe('');
    auth.revoke('bob');
    auth.revoke('ada', 's2');
    expect([asked, silent].map(reasonOf)).toEqual(['', '']);
    auth.revoke('ada', 's1');
    const next = await enter(auth);
    expect([asked, silent, next].map(reasonOf)).toEqual(['AUTH_NOT_AUTHENTICATED', 'AUTH_NOT_AUTHENTICATED', '']);
    expect(await asked.auth.reauthenticate?.()).toBeUndefined();
    auth.revoke('ada');
    expect(reasonOf(next)).toBe('AUTH_NOT_AUTHENTICATED');
  });

  it.each([
    ['is not good any more', bad],
    ['is somebody else', good({ ...ada, id: 'bob' })],
  ])('when its caller %s', async (_, answer) => {
    const answers = [good(), answer];
    const entered = await enter(create({ authenticate: () => answers.shift() ?? bad }));
    expect(await entered.auth.reauthenticate?.()).toBeUndefined();
    expect(reasonOf(entered)).toBe('AUTH_NOT_AUTHENTICATED');
  });

  it('not when it cannot be found out: that is for who asked', async () => {
    const answers = [Promise.resolve(good()), Promise.reject(new Error('db')), Promise.resolve(good())];
    const entered = await enter(create({ authenticate: () => answers.shift() ?? bad }));
    await expect(entered.auth.reauthenticate?.()).rejects.toThrow('db');
    expect(await entered.auth.reauthenticate?.()).toEqual(ada);
    expect(reasonOf(entered)).toBe('');
  });

  it('with its host, which lets nobody in any more', async () => {
    const waiting = later<Authentication>();
    const answers: (Authentication | Promise<Authentication>)[] = [good(), waiting.promise];
    const auth = create({ authenticate: () => answers.shift() ?? bad });
    const entered = await enter(auth);
    const late = auth.enter(token, {});
    auth.close();
    waiting.resolve(good());
    expect(reasonOf(entered)).toBe('SERVICE_UNAVAILABLE');
    expect(await late).toMatchObject({ status: 503 });
    expect(await auth.enter({ kind: 'none' }, {})).toMatchObject({ status: 503 });
  });
});

describe('who is revoked while being authenticated', () => {
  it('is authenticated again: an old answer does not let in', async () => {
    const waiting = [later<Authentication>(), later<Authentication>()];
    const authenticate = vi.fn(() => waiting[authenticate.mock.calls.length - 1]?.promise ?? bad);
    const auth = create({ authenticate });
    const answer = auth.enter(token, {});
    auth.revoke('ada');
    waiting[0]?.resolve(good());
    await vi.waitFor(() => expect(authenticate).toHaveBeenCalledTimes(2));
    auth.revoke('ada', 's1');
    waiting[1]?.resolve(good());
    expect(await answer).toMatchObject({ status: 401 });
    expect(authenticate).toHaveBeenCalledTimes(3);
  });

  it('is let in when it was somebody else, or an earlier login', async () => {
    const waiting = later<Authentication>();
    const authenticate = vi.fn(() => waiting.promise);
    const auth = create({ authenticate });
    const answer = auth.enter(token, {});
    auth.revoke('bob');
    auth.revoke('ada', 's0');
    waiting.resolve(good());
    expect(isRefusal(await answer)).toBe(false);
    expect(authenticate).toHaveBeenCalledOnce();
  });

  it('anew, at an event, gets no further one', async () => {
    const waiting = later<Authentication>();
    const answers: (Authentication | Promise<Authentication>)[] = [good(), waiting.promise];
    const auth = create({ authenticate: () => answers.shift() ?? bad });
    const entered = await enter(auth);
    const renewed = entered.auth.reauthenticate?.();
    auth.revoke('ada');
    waiting.resolve(good());
    expect(await renewed).toBeUndefined();
  });
});

it.each(['authenticate', 'authenticateCaller', 'environment'])('refuses a useless %s', (field) => {
  expect(() => create({ [field]: 5 })).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID', field }));
});
