import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto';
import { type AccountsOptions, clientSubject, type NewGrant, type SecondFactor } from 'doorward/accounts';
import { createClientRegistry } from 'doorward/oauth';
import {
  createMemoryAccountStore,
  createMemoryCodeStore,
  createMemoryConsentStore,
  createMemorySessionStore,
} from 'doorward/stores/memory';
import { privateKey } from 'doorward/tokens';
import { describe, expect, it } from 'vitest';
import { createWorld, outcome, PASSWORD, START, type World } from '../accounts/fixture.ts';
import { createWorld as createTotpWorld } from '../totp/app.ts';
import { createServer } from './oauth-support.ts';

const OTP = '123456';
const SECRET = randomBytes(32).toString('base64url');
const FROM = { ip: '192.0.2.1', requestId: 'r-1' };

/** A factor of every account until it is taken away; `judged` runs when a proof was found good. */
function factor(field: string, judged: () => unknown = () => undefined): SecondFactor & { isTaken: boolean } {
  return {
    isTaken: false,
    field,
    async isEnrolled() {
      return !this.isTaken;
    },
    async verify(_, proof) {
      if (proof !== OTP) return undefined;
      await judged();
      return ['otp'];
    },
  };
}

async function ticketOf({ accounts }: World): Promise<string> {
  const step = await accounts.beginLogin({ username: 'ada', password: PASSWORD }, FROM);
  if (step.kind !== 'second_factor') throw new Error('no second factor was asked for');
  return step.ticket;
}

describe('a second factor that is taken away while its proof is judged', () => {
  const ways: [string, (world: World) => Promise<(proofs: object) => Promise<unknown>>][] = [
    [
      'in one step',
      async ({ accounts }) =>
        (proofs) =>
          accounts.login({ username: 'ada', password: PASSWORD, ...proofs }),
    ],
    [
      'in two steps',
      async (world) => {
        const ticket = await ticketOf(world);
        return (proofs) => world.accounts.finishLogin(ticket, { ...proofs });
      },
    ],
  ];

  it.each(ways)('leaves its thief no session %s, while another one is still enrolled', async (_, prepare) => {
    const stolen = factor('otp', async () => {
      stolen.isTaken = true;
      await world.accounts.revokeAllFor(id);
    });
    const world = createWorld({ factors: [stolen, factor('passkey')] });
    const { id } = await world.register();
    const finish = await prepare(world);
    world.time.now += 1_000;
    expect(await outcome(finish({ otp: OTP }))).toBe('AUTH_INVALID_CREDENTIALS');
    expect(await world.accounts.sessionsOf(id)).toEqual([]);
    world.time.now += 1_000;
    expect(await outcome(finish({ passkey: OTP }))).toBe('ok');
  });
});

describe('the ticket of a login', () => {
  it('CLK-05 that was made by a clock far ahead is not good for as long as the clock was wrong', async () => {
    const world = createWorld({ factors: [factor('otp')] });
    await world.register();
    world.time.now = START + 86_400_000;
    const ticket = await ticketOf(world);
    world.time.now = START;
    expect(await outcome(world.accounts.finishLogin(ticket, { otp: OTP }))).toBe('AUTH_INVALID_CREDENTIALS');
    world.time.now = START + 86_400_000 - 299_999;
    expect(await outcome(world.accounts.finishLogin(ticket, { otp: OTP }))).toBe('ok');
  });

  it('brought 50 times at once with one right code of an authenticator app starts one session', async () => {
    const { totp, enrolled, time } = createTotpWorld();
    const world = createWorld({ factors: [totp], loginMaxFailures: 100 });
    const { id } = await world.register();
    const { code } = await enrolled(id);
    time.now += 60_000;
    const otp = code();
    const tickets = [await ticketOf(world), await ticketOf(world)];
    const logins = Array.from({ length: 50 }, (_, i) =>
      outcome(world.accounts.finishLogin(tickets[i % 2], { otp }, { ip: `198.51.100.${i}` })),
    );
    const answers = await Promise.all(logins);
    expect(answers.filter((answer) => answer === 'ok')).toHaveLength(1);
    expect(await world.accounts.sessionsOf(id)).toHaveLength(1);
  });
});

const grantOf = (fields: Partial<NewGrant>): NewGrant => ({
  ...{ sessionId: 'grant-1', accountId: clientSubject('app'), clientId: 'app', scopes: ['create'], audience: ['x'] },
  ...{ authTime: 0, amr: [], acr: '0', startedAt: START, refreshToken: false, ...fields },
});

describe('a client that acts for itself', () => {
  it('has no id so long that nobody could end what it has', async () => {
    const { accounts } = createWorld();
    const longest = 'x'.repeat(249);
    const registered = (client_id: string) => () =>
      createClientRegistry([
        { client_id, token_endpoint_auth_method: 'client_secret_basic', client_secret: SECRET, scope: 'create' },
      ]);
    expect(registered(longest)).not.toThrow();
    expect(registered(`${longest}x`)).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
    const own = { clientId: longest, accountId: clientSubject(longest) };
    expect(await accounts.grants.start(grantOf(own))).toBeDefined();
    expect(await accounts.sessionsOf(own.accountId)).toHaveLength(1);
    expect(await accounts.revokeAllFor(own.accountId)).toBe(1);
    const tooLong = { clientId: `${longest}x`, accountId: clientSubject(`${longest}x`), startedAt: START + 1 };
    expect(await accounts.grants.start(grantOf(tooLong))).toBeUndefined();
    expect(await accounts.grants.find('grant-1', 'jti')).toBeUndefined();
  });

  it('does not live as long as a refresh token, which it never gets', async () => {
    const { accounts } = createWorld();
    const started = await accounts.grants.start(grantOf({ refreshToken: true, lifetimeSeconds: 60 }));
    expect(started).toMatchObject({ session: { endsAt: START + 60_000 } });
    expect(started).not.toHaveProperty('refreshToken');
  });

  it('is started by nobody else, not under the subject of another client and not for an account of that name', async () => {
    const world = createWorld({ ids: () => clientSubject('app') });
    expect(await outcome(world.register())).toBe('CONFIG_INVALID');
    const { grants } = world.accounts;
    expect(await grants.start(grantOf({ clientId: 'other' }))).toBeUndefined();
    expect(await grants.start(grantOf({ clientId: 'APP' }))).toBeUndefined();
  });
});

describe('a session token', () => {
  it('is good for the cookie only: neither a bearer token nor a refresh token, and nothing revokes it as one', async () => {
    const world = createWorld();
    await world.register();
    const { accounts } = world;
    const login = await accounts.login({ username: 'ada', password: PASSWORD }, FROM, { sessionToken: true });
    const token = login.sessionToken ?? '';
    for (const form of [token, token.slice('session_'.length)]) {
      expect(await accounts.authenticate(form, FROM)).toMatchObject({ ok: false });
      expect(await outcome(accounts.rotate(form))).toBe('AUTH_INVALID_GRANT');
      expect(await outcome(accounts.refresh(form))).toBe('AUTH_NOT_AUTHENTICATED');
      expect(await outcome(accounts.grants.rotate(form, { clientId: 'app' }))).toBe('AUTH_INVALID_GRANT');
      expect(await outcome(accounts.logout(form))).toBe('AUTH_NOT_AUTHENTICATED');
      expect(await accounts.grants.findByRefreshToken(form)).toBeUndefined();
      expect(await accounts.revokeToken(form)).toBe(false);
      expect(await outcome(accounts.finishLogin(form, { otp: OTP }))).toBe('AUTH_INVALID_CREDENTIALS');
    }
    for (const other of [token.slice(8), login.accessToken, `${token} `, token.toUpperCase(), [token]]) {
      expect(await accounts.grants.findBySessionToken(other)).toBeUndefined();
    }
    expect(await accounts.grants.findBySessionToken(token)).toMatchObject({ session: { id: login.sessionId } });
    expect(JSON.stringify(world.audit)).not.toContain(token.slice(8));
  });
});

const ISSUER = 'https://login.example.org';
const CALLBACK = 'https://app.example.org/callback';
/** RFC 7636, appendix B. */
const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';
const signing = privateKey(generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey, { kid: 'k1' });
const clients = createClientRegistry([
  { client_id: 'spa', token_endpoint_auth_method: 'none', redirect_uris: [CALLBACK], scope: 'openid create' },
]);

/** A whole server, whose stores call `meanwhile` before every operation. */
async function createDesk(changes: Partial<AccountsOptions> = {}) {
  let meanwhile = async (): Promise<void> => undefined;
  const watched = <T extends object>(store: T): T =>
    Object.fromEntries(
      Object.entries(store).map(([name, method]) => [
        name,
        async (...args: unknown[]) => {
          await meanwhile();
          return method(...args);
        },
      ]),
    ) as T;
  const world = createWorld({
    store: watched(createMemoryAccountStore()),
    sessions: watched(createMemorySessionStore()),
    ...changes,
  });
  const { accounts } = world;
  const codes = createMemoryCodeStore();
  const consents = createMemoryConsentStore();
  const server = createServer({
    ...{ issuer: ISSUER, resource: 'https://api.example.org', accounts, clients },
    ...{ codes: watched(codes), consents: watched(consents) },
    ...{ keys: { keys: [signing], active: signing } },
    clock: () => world.time.now,
  });
  const { id } = await world.register();
  const { sessionId: loginSessionId } = await world.login();
  const consent = () => consents.grant(id, 'spa', ['openid', 'create'], START);
  await consent();
  const code = randomBytes(32).toString('base64url');
  const record = {
    ...{ clientId: 'spa', accountId: id, redirectUri: CALLBACK, codeChallenge: CHALLENGE },
    ...{ scopes: ['openid', 'create'], audience: ['https://api.example.org'], authTime: START / 1_000, amr: ['pwd'] },
    ...{ acr: 'aal1', loginSessionId, issuedAt: START, expiresAt: START + 60_000 },
  };
  await codes.put(createHash('sha256').update(code).digest('base64url'), record, START + 86_400_000, START);
  world.audit.length = 0;
  return {
    ...{ world, id, consent },
    async redeem() {
      const form = { grant_type: 'authorization_code', client_id: 'spa', code, redirect_uri: CALLBACK };
      const body = new URLSearchParams({ ...form, code_verifier: VERIFIER });
      const answer = await server.handler(new Request(`${ISSUER}/oauth/token`, { method: 'POST', body }), FROM);
      return { status: answer.status, ...((await answer.json()) as { access_token?: string; error?: string }) };
    },
    revoke: () => server.consents.revoke(id, 'spa', FROM),
    /** How many sessions the client has. */
    alive: async () => (await accounts.sessionsOf(id)).filter(({ clientId }) => clientId === 'spa').length,
    /** Runs one thing between the operations of another one, before the one that `step` counts. @returns whether it came so far. */
    async between(step: number, outer: () => Promise<unknown>, inner: () => Promise<unknown>): Promise<boolean> {
      let left = step;
      let isReached = false;
      meanwhile = async () => {
        left -= 1;
        if (left !== 0) return;
        isReached = true;
        meanwhile = async () => undefined;
        await inner();
      };
      await outer();
      meanwhile = async () => undefined;
      return isReached;
    },
  };
}

/** Tries every place among the operations, until there is none left. @returns how many there were. */
async function everywhere(attempt: (step: number) => Promise<boolean>): Promise<number> {
  let step = 1;
  while (await attempt(step)) step += 1;
  return step - 1;
}

describe('a consent that is taken back while a code is redeemed', () => {
  it('leaves nothing alive, before whichever operation of the redemption it comes', async () => {
    const answers: number[] = [];
    const places = await everywhere(async (step) => {
      const desk = await createDesk();
      const isReached = await desk.between(step, async () => answers.push((await desk.redeem()).status), desk.revoke);
      if (isReached) expect(await desk.alive()).toBe(0);
      return isReached;
    });
    expect(places).toBeGreaterThan(6);
    expect(new Set(answers)).toEqual(new Set([200, 400]));
  });

  it('leaves nothing alive, before whichever of its own operations the redemption comes', async () => {
    const places = await everywhere(async (step) => {
      const desk = await createDesk();
      const isReached = await desk.between(step, desk.revoke, desk.redeem);
      if (isReached) expect(await desk.alive()).toBe(0);
      return isReached;
    });
    expect(places).toBeGreaterThan(1);
  });

  it('and given again meanwhile is the consent that the grant is by', async () => {
    const places = await everywhere(async (step) => {
      const desk = await createDesk();
      const isReached = await desk.between(step, desk.redeem, async () => {
        await desk.revoke();
        await desk.consent();
      });
      await desk.revoke();
      expect(await desk.alive()).toBe(0);
      return isReached;
    });
    expect(places).toBeGreaterThan(6);
  });
});

describe('a listener that fails when a session is ended', () => {
  const down = { onSessionEnded: () => Promise.reject(new Error('down')) };

  it('keeps nothing alive when a code comes again, gives no tokens, and has the end told once', async () => {
    const desk = await createDesk(down);
    expect(await desk.redeem()).toMatchObject({ status: 200 });
    expect(await desk.redeem()).not.toHaveProperty('access_token');
    expect(await desk.redeem()).toMatchObject({ status: 400, error: 'invalid_grant' });
    expect(await desk.alive()).toBe(0);
    const ended = desk.world.audit.filter(({ type }) => type === 'session.ended');
    expect(ended).toMatchObject([{ accountId: desk.id, reason: 'code_replayed' }]);
  });

  it('keeps no session of the client alive when its consent is taken back', async () => {
    const desk = await createDesk(down);
    await desk.redeem();
    const { grants } = desk.world.accounts;
    for (const sessionId of ['a', 'b']) {
      await grants.start(grantOf({ sessionId, accountId: desk.id, clientId: 'spa', startedAt: START }));
    }
    expect(await outcome(desk.revoke())).toBe('SERVICE_UNAVAILABLE');
    expect(await desk.alive()).toBe(0);
    expect(desk.world.auditTypes().filter((type) => type === 'session.ended')).toHaveLength(3);
  });

  it('keeps no replayed refresh token alive', async () => {
    const world = createWorld({ ...down, refreshGraceSeconds: 0 });
    const { id } = await world.register();
    const started = await world.accounts.grants.start(grantOf({ accountId: id, refreshToken: true }));
    const rotate = () => world.accounts.grants.rotate(started?.refreshToken ?? '', { clientId: 'app' });
    const { refreshToken } = await rotate();
    expect(await outcome(rotate())).toBe('SERVICE_UNAVAILABLE');
    expect(await outcome(world.accounts.grants.rotate(refreshToken, { clientId: 'app' }))).toBe('AUTH_INVALID_GRANT');
    expect(world.auditTypes().filter((type) => type === 'session.ended')).toHaveLength(1);
  });
});
