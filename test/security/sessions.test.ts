import { inspect } from 'node:util';
import { PGlite } from '@electric-sql/pglite';
import type { SessionStore } from 'doorward/accounts';
import { createMemoryAccountStore, createMemorySessionStore } from 'doorward/stores/memory';
import { createSqlSessionStore, migrate } from 'doorward/stores/sql';
import { withFaults, withLatency } from 'doorward/testing';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorld, device, outcome, PASSWORD, START, type World } from '../accounts/fixture.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NEXT = 'an even better passphrase';
const PARALLEL = Array.from({ length: 50 }, (_, index) => index);

let db: PGlite;
beforeAll(async () => {
  db = new PGlite();
  await migrate(db);
});
afterAll(() => db.close());

const stores: [string, () => SessionStore][] = [
  ['memory', createMemorySessionStore],
  ['memory behind a network', () => withLatency(createMemorySessionStore())],
  ['PostgreSQL', () => createSqlSessionStore(db)],
];

/** The refresh token that a rotation gives, or nothing. */
const rotated = ({ accounts }: World, token: string): Promise<string | undefined> =>
  accounts.rotate(token).then(
    ({ refreshToken }) => refreshToken,
    () => undefined,
  );

const isGood = async ({ accounts }: World, token: string): Promise<boolean> => (await accounts.authenticate(token)).ok;

const count = ({ audit }: World, type: string): number => audit.filter((event) => event.type === type).length;

describe.each(stores)('attacks on refresh tokens over %s', { timeout: 60_000 }, (_, open) => {
  it('X2 50 parallel rotations get one and the same successor, and one family', async () => {
    const world = createWorld({ sessions: open() });
    const { id } = await world.register();
    for (let round = 0; round < 3; round += 1) {
      const { refreshToken, sessionId } = await device(world);
      const answers = await Promise.all(PARALLEL.map(() => world.accounts.rotate(refreshToken)));
      expect(new Set(answers.map((answer) => answer.refreshToken)).size).toBe(1);
      expect(new Set(answers.map((answer) => answer.sessionId))).toEqual(new Set([sessionId]));
      expect(new Set(answers.map((answer) => answer.accessToken)).size).toBe(50);
      expect(await outcome(world.accounts.rotate(answers[0]?.refreshToken ?? ''))).toBe('ok');
    }
    expect(await world.accounts.sessionsOf(id)).toHaveLength(3);
    expect(count(world, 'token.reused')).toBe(0);
  }, 120_000);

  it('X2 without grace one of 50 wins, the reuse is told once and ends the family, and no other', async () => {
    const world = createWorld({ sessions: open(), refreshGraceSeconds: 0 });
    await world.register();
    const [phone, laptop] = [await device(world), await device(world)];
    const answers = await Promise.all(PARALLEL.map(() => rotated(world, phone.refreshToken)));
    const winners = answers.filter((answer) => answer !== undefined);
    expect(winners).toHaveLength(1);
    expect([count(world, 'token.reused'), count(world, 'session.ended')]).toEqual([1, 1]);
    expect(await rotated(world, winners[0] ?? '')).toBeUndefined();
    expect(await isGood(world, phone.accessToken)).toBe(false);
    expect(await isGood(world, laptop.accessToken)).toBe(true);
    expect(await rotated(world, laptop.refreshToken)).toBeDefined();
  });

  it.each([10_000, HOUR, 6 * DAY, 29 * DAY])(
    'REF-06 a replay %d ms after the use ends the family, once, and not the other device',
    async (age) => {
      const ended: string[] = [];
      const world = createWorld({
        sessions: open(),
        refreshIdleSeconds: 2_592_000,
        onSessionEnded: (id) => ended.push(id),
      });
      const { id } = await world.register();
      const [phone, laptop] = [await device(world), await device(world)];
      const successor = (await rotated(world, phone.refreshToken)) ?? '';
      world.time.now += age;
      const { accessToken } = await world.accounts.rotate(laptop.refreshToken);
      world.audit.length = 0;
      for (let i = 0; i < 3; i += 1) {
        expect(await outcome(world.accounts.rotate(phone.refreshToken))).toBe('AUTH_INVALID_GRANT');
      }
      const who = { accountId: id, sessionId: phone.sessionId };
      expect(world.audit).toEqual([
        { type: 'token.reused', ...who },
        { type: 'session.ended', reason: 'reuse', ...who },
        { type: 'token.rejected', reason: 'unknown_refresh_token' },
        { type: 'token.rejected', reason: 'unknown_refresh_token' },
      ]);
      expect(ended).toEqual([phone.sessionId]);
      expect(await rotated(world, successor)).toBeUndefined();
      expect(await isGood(world, accessToken)).toBe(true);
    },
  );

  it('REF-07 a replay after a restart ends the family too', async () => {
    const [store, sessions] = [createMemoryAccountStore(), open()];
    const before = createWorld({ store, sessions });
    await before.register();
    const { refreshToken } = await device(before);
    const successor = (await rotated(before, refreshToken)) ?? '';
    const after = createWorld({ store, sessions });
    after.time.now += HOUR;
    expect(await rotated(after, refreshToken)).toBeUndefined();
    expect(await rotated(after, successor)).toBeUndefined();
  });

  it('REF-08 the token before the last ends the family, also within the grace time', async () => {
    const world = createWorld({ sessions: open() });
    await world.register();
    const { refreshToken: first } = await device(world);
    const second = (await rotated(world, first)) ?? '';
    const third = (await rotated(world, second)) ?? '';
    expect(third).not.toBe('');
    expect(await rotated(world, first)).toBeUndefined();
    for (const token of [second, third]) expect(await rotated(world, token)).toBeUndefined();
    expect(count(world, 'token.reused')).toBe(1);
  });

  it('REF-09 a stranger neither uses up nor kills the token of a client', async () => {
    const world = createWorld({ sessions: open() });
    await world.register();
    const { refreshToken } = await device(world, { clientId: 'app' });
    for (const options of [{ clientId: 'eve' }, { clientId: '' }, { clientId: 'APP' }, {}]) {
      expect(await outcome(world.accounts.rotate(refreshToken, options))).toBe('AUTH_INVALID_GRANT');
    }
    const { refreshToken: next } = await world.accounts.rotate(refreshToken, { clientId: 'app' });
    world.time.now += HOUR;
    expect(await outcome(world.accounts.rotate(refreshToken, { clientId: 'eve' }))).toBe('AUTH_INVALID_GRANT');
    expect(await outcome(world.accounts.rotate(next, { clientId: 'app' }))).toBe('ok');
    expect(count(world, 'token.reused')).toBe(0);
  });

  it('REF-12 JWT-32 a disabled account rotates nothing and uses nothing up; enabled again, it goes on', async () => {
    const world = createWorld({ sessions: open() });
    const { id } = await world.register();
    const { refreshToken, accessToken } = await device(world);
    await world.accounts.disable(id);
    for (let i = 0; i < 3; i += 1) {
      expect(await outcome(world.accounts.rotate(refreshToken))).toBe('AUTH_INVALID_GRANT');
      world.time.now += 60_000;
    }
    await world.accounts.enable(id);
    expect(await isGood(world, accessToken)).toBe(true);
    expect(await rotated(world, refreshToken)).toBeDefined();
  });

  it('REF-15 within the grace time the same successor, after it the end; a logged-out token gets nothing', async () => {
    const world = createWorld({ sessions: open(), refreshGraceSeconds: 5 });
    await world.register();
    const { refreshToken } = await device(world);
    const successor = await rotated(world, refreshToken);
    world.time.now += 4_999;
    expect(await rotated(world, refreshToken)).toBe(successor);
    world.time.now += 1;
    expect(await rotated(world, refreshToken)).toBeUndefined();
    expect(await rotated(world, successor ?? '')).toBeUndefined();
    const second = await device(world);
    const next = await world.accounts.rotate(second.refreshToken);
    await world.accounts.logout(next.accessToken);
    for (const token of [second.refreshToken, next.refreshToken]) expect(await rotated(world, token)).toBeUndefined();
  });

  it('REF-13 of 100 races of a rotation with a logout, none leaves a live token', async () => {
    const world = createWorld({ sessions: open() });
    await world.register();
    for (let trial = 0; trial < 100; trial += 1) {
      const { refreshToken, accessToken, sessionId, account } = await device(world);
      const ending = [
        () => world.accounts.logout(accessToken),
        () => world.accounts.revokeSession(account.id, sessionId),
        () => world.accounts.revokeAllFor(account.id),
        () => world.accounts.revokeToken(refreshToken),
      ][trial % 4];
      const [next] = await Promise.all([rotated(world, refreshToken), ending?.()]);
      for (const token of [refreshToken, next ?? '']) expect(await rotated(world, token)).toBeUndefined();
      expect(await isGood(world, accessToken)).toBe(false);
    }
  });
});

describe('what a leak of the store gives away', () => {
  it('REF-16 no refresh token in the clear, and no way from what is stored to a successor', async () => {
    const seen: unknown[] = [];
    const memory = createMemorySessionStore();
    const sessions = Object.fromEntries(
      Object.entries(memory).map(([name, method]) => [
        name,
        async (...args: never[]) => {
          const answer = await Reflect.apply(method, memory, args);
          seen.push(args, answer);
          return answer;
        },
      ]),
    ) as unknown as SessionStore;
    const world = createWorld({ sessions });
    await world.register();
    const tokens: string[] = [];
    for (let i = 0; i < 100; i += 1) {
      const { refreshToken } = await device(world);
      tokens.push(refreshToken, (await rotated(world, refreshToken)) ?? '', (await rotated(world, refreshToken)) ?? '');
    }
    expect(new Set(tokens).size).toBe(200);
    const stored = inspect([seen, world.audit, memory, world.accounts], {
      depth: null,
      maxArrayLength: null,
      maxStringLength: null,
      showHidden: true,
    });
    const raw = JSON.stringify(seen);
    for (const token of tokens) {
      for (const text of [stored, raw]) {
        expect(text.includes(token)).toBe(false);
        expect(text.includes(Buffer.from(token).toString('base64url'))).toBe(false);
      }
    }
    const values = new Set(raw.match(/[\w-]{43,}/g));
    expect(values.size).toBeGreaterThan(300);
    for (const value of values) expect(await outcome(world.accounts.rotate(value))).toBe('AUTH_INVALID_GRANT');
  });

  it('a sealed successor that was moved or damaged opens for nobody', async () => {
    const memory = createMemorySessionStore();
    const seals: string[] = [];
    let swap = (sealed: string): string => sealed;
    const rotate: SessionStore['rotate'] = async (request) => {
      seals.push(request.sealedSuccessor);
      const rotation = await memory.rotate(request);
      return rotation.kind === 'repeated' ? { ...rotation, sealedSuccessor: swap(rotation.sealedSuccessor) } : rotation;
    };
    const world = createWorld({ sessions: { ...memory, rotate } });
    await world.register();
    const [phone, laptop] = [await device(world), await device(world)];
    await rotated(world, laptop.refreshToken);
    const successor = await rotated(world, phone.refreshToken);
    const flip = (sealed: string, at: number) => {
      const bytes = Buffer.from(sealed, 'base64url');
      bytes[at] = (bytes[at] ?? 0) ^ 1;
      return bytes.toString('base64url');
    };
    const damages: ((sealed: string) => string)[] = [
      () => seals[0] ?? '',
      () => '',
      () => 'x',
      (sealed) => sealed.slice(0, 40),
      ...[0, 12, 54, 55, 70].map((at) => (sealed: string) => flip(sealed, at)),
    ];
    for (swap of damages) {
      expect(await outcome(world.accounts.rotate(phone.refreshToken))).toBe('SERVICE_UNAVAILABLE');
    }
    swap = (sealed) => sealed;
    expect(await rotated(world, phone.refreshToken)).toBe(successor);
  });
});

describe('a session store that fails in the middle', () => {
  const verbs: [string, (world: World, tokens: { accessToken: string; refreshToken: string }) => Promise<unknown>][] = [
    ['start', (world) => device(world)],
    ['find', ({ accounts }, { accessToken }) => Promise.resolve(accounts.authenticate(accessToken))],
    ['find', ({ accounts }, { accessToken }) => accounts.refresh(accessToken)],
    ['find', ({ accounts }, { accessToken }) => accounts.logout(accessToken)],
    ['findByRefreshToken', ({ accounts }, { refreshToken }) => accounts.rotate(refreshToken)],
    ['rotate', ({ accounts }, { refreshToken }) => accounts.rotate(refreshToken)],
    ['end', ({ accounts }, { accessToken }) => accounts.logout(accessToken)],
    ['revokeToken', ({ accounts }, { accessToken }) => accounts.revokeToken(accessToken)],
  ];

  it.each(verbs)('STO-02 gives out no token when %s fails, before or after it took effect', async (method, verb) => {
    for (const kind of ['before', 'after'] as const) {
      let isDown = false;
      const memory = createMemorySessionStore();
      const sessions = withFaults(memory, (name) => (isDown && name === method ? kind : undefined));
      const world = createWorld({ sessions });
      const { id } = await world.register();
      const tokens = await device(world);
      isDown = true;
      expect(await outcome(verb(world, tokens))).toBe('SERVICE_UNAVAILABLE');
      isDown = false;
      // Whatever took effect: nobody holds a token of it, and what was good before is good or has ended.
      const live = await world.accounts.sessionsOf(id);
      expect(live.length).toBeLessThanOrEqual(2);
    }
  });

  it.each([
    ['before', 10, true],
    ['after', 10, true],
    ['before', 0, true],
    ['after', 0, false],
  ] as const)(
    'STO-04 a rotation whose answer is lost %s it took effect can be tried again with a grace of %d s: %s',
    async (kind, refreshGraceSeconds, works) => {
      let isDown = true;
      const sessions = withFaults(createMemorySessionStore(), (name) =>
        isDown && name === 'rotate' ? kind : undefined,
      );
      const world = createWorld({ sessions, refreshGraceSeconds });
      const { id } = await world.register();
      const { refreshToken } = await device(world);
      expect(await outcome(world.accounts.rotate(refreshToken))).toBe('SERVICE_UNAVAILABLE');
      isDown = false;
      const successor = await rotated(world, refreshToken);
      expect(successor !== undefined).toBe(works);
      expect(await world.accounts.sessionsOf(id)).toHaveLength(works ? 1 : 0);
      expect((await rotated(world, successor ?? '')) !== undefined).toBe(works);
    },
  );
});

/** A store each of whose calls arrives, and is answered, when the scheduler says so. */
function scheduled<T extends object>(store: T, s: fc.Scheduler): T {
  return withLatency(store, { delay: () => s.schedule(Promise.resolve()) });
}

describe('every order of events', { timeout: 120_000 }, () => {
  it('property 8 no rotation outlives the end of its family, whoever ends it', async () => {
    const endings: Record<string, (world: World, of: Awaited<ReturnType<typeof device>>) => Promise<unknown>> = {
      logout: ({ accounts }, { accessToken }) => accounts.logout(accessToken),
      revokeSession: ({ accounts }, { account, sessionId }) => accounts.revokeSession(account.id, sessionId),
      revokeAllFor: ({ accounts }, { account }) => accounts.revokeAllFor(account.id),
      revokeToken: ({ accounts }, { refreshToken }) => accounts.revokeToken(refreshToken),
      remove: ({ accounts }, { account }) => accounts.remove(account.id),
      setPassword: ({ accounts }, { account }) => accounts.setPassword(account.id, NEXT),
      changePassword: ({ accounts }, { account }) =>
        accounts.changePassword(account.id, { current: PASSWORD, next: NEXT }),
    };
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), fc.constantFrom(...Object.keys(endings)), async (s, ending) => {
        const [store, sessions] = [createMemoryAccountStore(), createMemorySessionStore()];
        const calm = createWorld({ store, sessions });
        await calm.register();
        const login = await device(calm);
        const wild = createWorld({ store: scheduled(store, s), sessions: scheduled(sessions, s) });
        const races = [
          rotated(wild, login.refreshToken),
          rotated(wild, login.refreshToken),
          wild.accounts.refresh(login.accessToken).catch(() => undefined),
          endings[ending]?.(wild, login).catch((error: Error) => error),
        ] as const;
        const [one, two, refreshed, ended] = await s.waitFor(Promise.all(races));
        expect(ended).not.toBeInstanceOf(Error);
        if (one !== undefined && two !== undefined) expect(one).toBe(two);
        for (const token of [login.refreshToken, one, two]) expect(await rotated(calm, token ?? '')).toBeUndefined();
        for (const token of [login.accessToken, refreshed?.accessToken]) {
          expect(await isGood(calm, token ?? '')).toBe(false);
        }
        expect(await calm.accounts.sessionsOf(login.account.id)).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });

  it('property 7 parallel rotations of all generations leave at most one live successor', async () => {
    const picks = fc.array(fc.nat(2), { minLength: 2, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), picks, fc.constantFrom(0, 10), async (s, generations, refreshGraceSeconds) => {
        const [store, sessions] = [createMemoryAccountStore(), createMemorySessionStore()];
        const calm = createWorld({ store, sessions, refreshGraceSeconds });
        const { id } = await calm.register();
        const { refreshToken: first } = await device(calm);
        const second = (await rotated(calm, first)) ?? '';
        const third = (await rotated(calm, second)) ?? '';
        const tokens = [first, second, third];
        const wild = createWorld({ store: scheduled(store, s), sessions: scheduled(sessions, s), refreshGraceSeconds });
        const answers = await s.waitFor(Promise.all(generations.map((at) => rotated(wild, tokens[at] ?? ''))));
        const isReplayed = generations.some((at) => at < (refreshGraceSeconds > 0 ? 1 : 2));
        const live = await calm.accounts.sessionsOf(id);
        if (isReplayed) expect(live).toEqual([]);
        const given = new Set(answers.filter((answer) => answer !== undefined));
        expect(given.size).toBeLessThanOrEqual(2);
        // Asked strictly, only a token that has not been used is swapped.
        const strict = createWorld({ store, sessions, refreshGraceSeconds: 0 });
        const next = await Promise.all([...given].map((token) => rotated(strict, token)));
        expect(next.filter((token) => token !== undefined).length).toBeLessThanOrEqual(1);
      }),
      { numRuns: 60 },
    );
  });

  it.each([0, -HOUR, HOUR])(
    'LOG-25 a login with the old password that overtakes its change leaves no session, with clocks %d ms apart',
    async (skew) => {
      await fc.assert(
        fc.asyncProperty(fc.scheduler(), fc.boolean(), async (s, isRecovery) => {
          const [store, sessions] = [createMemoryAccountStore(), createMemorySessionStore()];
          const calm = createWorld({ store, sessions });
          const { id } = await calm.register();
          const parts = { store: scheduled(store, s), sessions: scheduled(sessions, s) };
          const [here, there] = [createWorld(parts), createWorld(parts)];
          there.time.now += skew;
          const logins = [here.login(), here.login(), device(here)].map((login) => login.catch(() => undefined));
          const changed = isRecovery
            ? there.accounts.setPassword(id, NEXT)
            : there.accounts.changePassword(id, { current: PASSWORD, next: NEXT });
          const [tokens] = await s.waitFor(Promise.all([Promise.all(logins), changed]));
          for (const login of tokens) {
            if (login === undefined) continue;
            expect(await isGood(calm, login.accessToken)).toBe(false);
            if (login.refreshToken !== undefined) expect(await rotated(calm, login.refreshToken)).toBeUndefined();
          }
          expect(await calm.accounts.sessionsOf(id)).toEqual([]);
        }),
        { numRuns: 25 },
      );
    },
  );

  it('a login with the right password gets in, in the very millisecond in which all sessions were ended', async () => {
    const world = createWorld();
    const { id } = await world.register();
    await world.accounts.setPassword(id, NEXT);
    const { accessToken } = await world.login('ada', NEXT);
    expect(await isGood(world, accessToken)).toBe(true);
    await world.accounts.revokeAllFor(id);
    expect(await isGood(world, accessToken)).toBe(false);
    expect(await outcome(world.login('ada', NEXT))).toBe('ok');
  });
});

interface Family {
  readonly sessionId: string;
  readonly tokens: string[];
  readonly usedAt: number[];
  isLive: boolean;
  idleUntil: number;
}

/** What must hold of families of tokens, in twenty lines. */
interface Model {
  readonly accountId: string;
  now: number;
  families: Family[];
}

const GRACE = 10_000;
const IDLE = HOUR;
type Step = fc.AsyncCommand<Model, World>;

const pick = (families: readonly Family[], at: number): Family | undefined => families[at % families.length];

const loginStep = (): Step => ({
  check: ({ families }) => families.length < 4,
  async run(model, world) {
    const { sessionId, refreshToken } = await device(world);
    const idleUntil = model.now + IDLE;
    model.families.push({ sessionId, tokens: [refreshToken], usedAt: [], isLive: true, idleUntil });
  },
  toString: () => 'login',
});

const rotateStep = (at: number, back: number): Step => ({
  check: ({ families }) => families.length > 0,
  async run(model, world) {
    const family = pick(model.families, at);
    if (family === undefined) return;
    const last = family.tokens.length - 1;
    const generation = Math.max(0, last - back);
    const answer = await rotated(world, family.tokens[generation] ?? '');
    const usedAt = family.usedAt[generation];
    if (!family.isLive) {
      expect(answer).toBeUndefined();
    } else if (usedAt !== undefined) {
      const isRepeat = generation === last - 1 && model.now < usedAt + GRACE;
      expect(answer).toBe(isRepeat ? family.tokens[last] : undefined);
      family.isLive = isRepeat;
    } else if (model.now >= family.idleUntil) {
      expect(answer).toBeUndefined();
    } else {
      expect(answer).toBeDefined();
      expect(family.tokens).not.toContain(answer);
      family.usedAt[generation] = model.now;
      family.tokens.push(answer ?? '');
      family.idleUntil = model.now + IDLE;
    }
  },
  toString: () => `rotate(${at}, ${back} back)`,
});

const endStep = (at: number, how: 'session' | 'token' | 'others' | 'all'): Step => ({
  check: ({ families }) => families.length > 0,
  async run({ families, accountId: id }, { accounts }) {
    const family = pick(families, at);
    if (family === undefined) return;
    if (how === 'session') expect(await accounts.revokeSession(id, family.sessionId)).toBe(family.isLive);
    if (how === 'token') expect(await accounts.revokeToken(family.tokens[0] ?? '')).toBe(family.isLive);
    if (how === 'others') await accounts.revokeAllFor(id, { exceptSessionId: family.sessionId });
    if (how === 'all') await accounts.revokeAllFor(id);
    for (const each of families) {
      const isHit = how === 'all' || (how === 'others') !== (each === family);
      if (isHit) each.isLive = false;
    }
  },
  toString: () => `end(${at}, ${how})`,
});

const waitStep = (ms: number): Step => ({
  check: () => true,
  async run(model, world) {
    model.now += ms;
    world.time.now = model.now;
  },
  toString: () => `wait(${ms})`,
});

describe('the model of token families', { timeout: 120_000 }, () => {
  it('properties 7 and 8 holds after any sequence of logins, rotations, replays, ends and waits', async () => {
    const steps = [
      fc.constant(loginStep()),
      fc.tuple(fc.nat(3), fc.nat(3)).map(([at, back]) => rotateStep(at, back)),
      fc.tuple(fc.nat(3), fc.constant(0)).map(([at, back]) => rotateStep(at, back)),
      fc
        .tuple(fc.nat(3), fc.constantFrom('session' as const, 'token' as const, 'others' as const, 'all' as const))
        .map(([at, how]) => endStep(at, how)),
      fc.constantFrom(1, GRACE - 1, GRACE, IDLE - 1, IDLE).map(waitStep),
    ];
    await fc.assert(
      fc.asyncProperty(fc.commands(steps, { maxCommands: 40 }), async (commands) => {
        const world = createWorld({ refreshIdleSeconds: IDLE / 1_000, refreshGraceSeconds: GRACE / 1_000 });
        const { id } = await world.register();
        const model: Model = { accountId: id, now: START, families: [] };
        await fc.asyncModelRun(() => ({ model, real: world }), commands);
        const live = (await world.accounts.sessionsOf(id)).map(({ id: sessionId }) => sessionId);
        const expected = model.families.filter(({ isLive }) => isLive).map(({ sessionId }) => sessionId);
        expect(new Set(live)).toEqual(new Set(expected));
      }),
      { numRuns: 60 },
    );
  });
});
