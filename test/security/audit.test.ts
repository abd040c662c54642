import diagnostics from 'node:diagnostics_channel';
import { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  AUDIT_CHANNEL,
  DECISION_CHANNEL,
  type DecisionEvent,
  deny,
  environmentSource,
  isDoorwardError,
  type MaybePromise,
  publishAudit,
  publishDecision,
} from 'doorward';
import { createAccounts } from 'doorward/accounts';
import { createJsonLinesSink, type JsonLinesSink, type JsonLinesSinkOptions } from 'doorward/audit';
import { createGate, createRouter, json } from 'doorward/http';
import { createBcryptHasher } from 'doorward/passwords';
import { contractRoles } from 'doorward/rbac';
import { createMemoryAccountStore, createMemoryRateLimitStore, createMemorySessionStore } from 'doorward/stores/memory';
import { createKeyring, createTokenIssuer, createTokenVerifier, secretKey } from 'doorward/tokens';
import { afterAll, afterEach, describe, expect, it } from 'vitest';

const lines: string[] = [];
const sinks: JsonLinesSink[] = [];
const errors: unknown[] = [];
const onUncaught = (error: unknown): void => void errors.push(error);

function sink(options: Partial<JsonLinesSinkOptions> = {}): JsonLinesSink {
  const made = createJsonLinesSink({ write: (line) => void lines.push(line), ...options });
  sinks.push(made);
  return made;
}

afterEach(async () => {
  for (const each of sinks.splice(0)) await each.close();
  lines.length = errors.length = 0;
  process.off('uncaughtException', onUncaught);
  process.off('unhandledRejection', onUncaught);
});

describe('AUD-02 what a client chose to be called', () => {
  const HOSTILE: readonly (readonly [string, string])[] = [
    ['a second line', 'x\n{"type":"login.succeeded","accountId":"admin"}'],
    ['a carriage return', 'x\r{"type":"login.succeeded"}'],
    ['ANSI escapes', '\u001B[2J\u001B]0;owned\u0007'],
    ['an eight-bit CSI', 'x\u009B2Jy'],
    ['Unicode line separators', 'x\u2028{"type":"login.succeeded"}\u2029y\u0085z'],
    ['a text turned round', 'admin\u202Enimda\u2066'],
    ['invisible characters', 'ad\u200Bmin\uFEFF\u{E0041}'],
    ['the end of the string', '","type":"login.succeeded","x":"'],
    ['half a character', 'x\uD800'],
    ['NUL and DEL', '\u0000\u007F'],
    ['a megabyte', 'x'.repeat(1_048_576)],
    ['a megabyte of what escapes sixfold', '\u0001'.repeat(1_048_576)],
  ];

  it.each(HOSTILE)('%s stays one bounded line of printable characters', async (_name, username) => {
    const log = sink();
    publishAudit({ type: 'account.registered', accountId: 'u1', username, ip: username, requestId: username });
    await log.close();
    expect(lines).toHaveLength(1);
    const [line = ''] = lines;
    expect(line.indexOf('\n')).toBe(line.length - 1);
    expect(line.length).toBeLessThan(6_000);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what must not be there
    expect(line.slice(0, -1)).not.toMatch(/[\u0000-\u001F\u007F-\u009F\u200B-\u200F\u2028-\u202E\u2060-\u2069\uFEFF]/);
    const { type, accountId, username: logged } = JSON.parse(line);
    expect([type, accountId]).toEqual(['account.registered', 'u1']);
    expect(logged).toBe(username.slice(0, 256));
  });

  it('a cut does not go through a character', async () => {
    const log = sink();
    publishAudit({ type: 'account.registered', accountId: 'u1', username: `${'x'.repeat(255)}\u{1F600}` });
    await log.close();
    expect(JSON.parse(lines[0] ?? '').username).toBe('x'.repeat(255));
  });
});

it('AUD-05 a field that no event has does not get into the log', async () => {
  const log = sink();
  const error = Object.assign(new Error('Bearer SECRET'), { connectionString: 'postgres://u:SECRET@db' });
  publishAudit({ type: 'token.rejected', reason: 'expired', token: 'SECRET', cause: error } as never);
  publishAudit({ type: 'login.failed', reason: 'wrong_password', password: 'SECRET' } as never);
  publishAudit({ type: 'token.rejected', reason: { token: 'SECRET' } } as never);
  publishAudit(Object.assign(Object.create({ accountId: 'SECRET' }), { type: 'account.removed' }));
  await log.close();
  expect(lines).toHaveLength(4);
  expect(lines.join('')).not.toContain('SECRET');
});

it('AUD-08 a denial names its rule, and everything else by id', async () => {
  const log = sink();
  publishDecision({
    point: 'GET /documents/{id}',
    requestId: 'r-1',
    decision: deny('rule', { ruleId: 'sensitive', revision: 'v3', id: 'd-7', trace: () => ({ rules: [] }) }),
    request: {
      subject: { id: 'u1', roles: ['SECRET'], scopes: ['SECRET'], attributes: { salary: 'SECRET' } },
      action: 'read',
      resource: { type: 'document', id: 'plan', attributes: { owner_id: 'SECRET', body: 'SECRET' } },
      environment: { time: 0, hour: 3, ip: '192.0.2.1', userAgent: 'SECRET' },
    },
  });
  await log.close();
  const { time, ...record } = JSON.parse(lines[0] ?? '');
  expect(typeof time).toBe('string');
  expect(record).toEqual({
    type: 'decision',
    outcome: 'deny',
    reason: 'rule',
    accountId: 'u1',
    point: 'GET /documents/{id}',
    action: 'read',
    resourceType: 'document',
    resourceId: 'plan',
    ruleId: 'sensitive',
    revision: 'v3',
    decisionId: 'd-7',
    ip: '192.0.2.1',
    requestId: 'r-1',
  });
});

describe('DOS-15 a log that fails', () => {
  const targets: readonly (readonly [string, () => JsonLinesSinkOptions['write']])[] = [
    [
      'throws',
      () => () => {
        throw new Error('disk full');
      },
    ],
    ['rejects', () => () => Promise.reject(new Error('network'))],
    ['never answers', () => () => new Promise(() => {})],
    ['is a stream that breaks', () => new Writable({ write: (_chunk, _encoding, done) => done(new Error('EPIPE')) })],
    ['is a stream that blocks', () => new Writable({ highWaterMark: 1, write: () => {} })],
    ['is a stream that was destroyed', () => new Writable({ write: () => {} }).destroy()],
    ['is a stream that has ended', () => new Writable({ write: (_chunk, _encoding, done) => done() }).end()],
  ];

  it.each(targets)('and %s: requests go on, and lines are counted', async (_name, target) => {
    process.on('uncaughtException', onUncaught);
    process.on('unhandledRejection', onUncaught);
    const log = sink({ write: target(), maxQueue: 5, closeTimeoutMs: 20 });
    const gate = createGate({
      authenticate: (token) => ({ ok: true, principal: { id: token, roles: ['viewer'], attributes: {} } }),
      pdp: contractRoles,
      environment: environmentSource(),
    });
    const handler = createRouter({ 'DELETE /posts': gate.requirePermission('delete', () => json(200, {})) });
    for (let index = 0; index < 50; index++) {
      const headers = { authorization: 'Bearer x' };
      const request = new Request('http://localhost/posts', { method: 'DELETE', headers });
      expect((await handler(request, { requestId: 'r-1' })).status).toBe(403);
    }
    await sleep(1);
    await log.close();
    await sleep(5);
    expect(log.dropped).toBe(50);
    expect(errors).toEqual([]);
  });
});

const NOW = 1_800_000_000_000;
const PASSWORD = 'a passphrase for tests';
const ORIGIN = { ip: '192.0.2.7', requestId: 'r-1' };
const hasher = createBcryptHasher({ cost: 4, workers: 1 });
afterAll(() => hasher.close());

type Heard = Record<string, unknown>;

/** A whole server in memory, and what it publishes. */
async function world() {
  const clock = { now: NOW };
  const now = (): number => clock.now;
  const key = secretKey('vQ9xL2mZ7tR4pW8sK1nB6yD3hF5jC0gA', { kid: 'one' });
  const keyring = createKeyring({ keys: [{ key, state: 'active' }], clock: now });
  const issuer = createTokenIssuer({ key: keyring, ttlSeconds: 600, clock: now });
  const accounts = createAccounts({
    store: createMemoryAccountStore(),
    limits: createMemoryRateLimitStore(),
    sessions: createMemorySessionStore(),
    hasher,
    issuer,
    verifier: createTokenVerifier({ keys: keyring, clock: now }),
    roles: contractRoles.roles,
    clock: now,
    ids: () => 'u1',
  });
  const { authenticate } = accounts;
  const gate = createGate({ authenticate, pdp: contractRoles, environment: environmentSource({ clock: now }) });
  const broken = {
    decide: () => {
      throw new Error('SECRET');
    },
  };
  const thing = { type: 'thing', id: 't1', attributes: {} };
  const handler = createRouter({
    'GET /posts': gate.requirePermission('read', () => json(200, {})),
    'DELETE /posts': gate.requirePermission('delete', () => json(200, {})),
    'GET /broken': gate.requireDecision({ action: 'read', resource: () => thing, pdp: broken }, () => json(200, {})),
    'POST /keys': gate.authenticated(() => json(200, {}), { acr: 'aal2' }),
  });
  const call = (method: string, path: string, token?: string) => {
    const headers = new Headers(token === undefined ? {} : { authorization: `Bearer ${token}` });
    return handler(new Request(`http://localhost${path}`, { method, headers }), ORIGIN);
  };

  /** What an act publishes, on both channels; the act may fail. */
  async function during(act: () => unknown): Promise<Heard[]> {
    const heard: Heard[] = [];
    const onAudit = (event: unknown): void => void heard.push(event as Heard);
    const onDecision = (event: unknown): void => {
      const { point, request, decision, requestId } = event as DecisionEvent;
      const { ip } = request.environment;
      heard.push({ type: 'decision', point, accountId: request.subject.id, reason: decision.reason, ip, requestId });
    };
    diagnostics.subscribe(AUDIT_CHANNEL, onAudit);
    diagnostics.subscribe(DECISION_CHANNEL, onDecision);
    try {
      await act();
    } catch (error) {
      if (!isDoorwardError(error)) throw error;
    } finally {
      diagnostics.unsubscribe(AUDIT_CHANNEL, onAudit);
      diagnostics.unsubscribe(DECISION_CHANNEL, onDecision);
    }
    return heard;
  }

  const login = (password = PASSWORD, username = 'ada') => accounts.login({ username, password }, ORIGIN);
  const register = () => accounts.register({ username: 'ada', password: PASSWORD, email: 'ada@example.org' }, ORIGIN);
  return { accounts, call, clock, during, issuer, keyring, login, now, register };
}

type World = Awaited<ReturnType<typeof world>>;
type Act = (world: World) => Promise<() => unknown>;

const ACTS: readonly (readonly [string, Act, readonly Heard[]])[] = [
  ['a registration', async ({ register }) => register, [{ type: 'account.registered', accountId: 'u1' }]],
  [
    'a login',
    after(({ login }) => login),
    [
      { type: 'login.succeeded', accountId: 'u1', amr: ['pwd'] },
      { type: 'token.issued', accountId: 'u1' },
    ],
  ],
  [
    'a wrong password',
    after(
      ({ login }) =>
        () =>
          login('wrong'),
    ),
    [{ type: 'login.failed', reason: 'wrong_password', accountId: 'u1' }],
  ],
  [
    'an unknown username',
    after(
      ({ login }) =>
        () =>
          login('wrong', 'nobody'),
    ),
    [{ type: 'login.failed', reason: 'unknown_username' }],
  ],
  [
    'a login of an account that was disabled',
    after(async ({ accounts, login }) => {
      await accounts.update('u1', { disabled: true });
      return login;
    }),
    [{ type: 'login.failed', reason: 'disabled', accountId: 'u1' }],
  ],
  [
    'a login over the limit',
    after(async ({ login }) => {
      for (let attempt = 0; attempt < 10; attempt++) await login('wrong').catch(() => undefined);
      return login;
    }),
    [{ type: 'login.limited', scope: 'account' }],
  ],
  [
    'a refresh by a token',
    after(async ({ accounts, login }) => {
      const { accessToken } = await login();
      return () => accounts.refresh(accessToken, ORIGIN);
    }),
    [{ type: 'token.refreshed', accountId: 'u1' }],
  ],
  [
    'a rotation of a refresh token',
    after(async (world) => {
      const refreshToken = await refreshable(world);
      return () => world.accounts.rotate(refreshToken, { caller: ORIGIN });
    }),
    [{ type: 'token.refreshed', accountId: 'u1' }],
  ],
  [
    'a late reuse of a refresh token',
    after(async (world) => {
      const refreshToken = await refreshable(world);
      await world.accounts.rotate(refreshToken, { caller: ORIGIN });
      world.clock.now += 60_000;
      return () => world.accounts.rotate(refreshToken, { caller: ORIGIN });
    }),
    [
      { type: 'token.reused', accountId: 'u1' },
      { type: 'session.ended', accountId: 'u1', reason: 'reuse' },
    ],
  ],
  [
    'a refresh token that nobody was given',
    after(async (world) => {
      const refreshToken = await refreshable(world);
      const other = `${refreshToken.slice(0, -4)}${refreshToken.endsWith('AAAA') ? 'BBBB' : 'AAAA'}`;
      return () => world.accounts.rotate(other, { caller: ORIGIN });
    }),
    [{ type: 'token.rejected' }],
  ],
  [
    'a token that is revoked',
    after(async ({ accounts, login }) => {
      const { accessToken } = await login();
      return () => accounts.revokeToken(accessToken, { caller: ORIGIN });
    }),
    [{ type: 'token.revoked', accountId: 'u1' }],
  ],
  [
    'a logout',
    after(async ({ accounts, login }) => {
      const { accessToken } = await login();
      return () => accounts.logout(accessToken, ORIGIN);
    }),
    [{ type: 'session.ended', accountId: 'u1', reason: 'logout' }],
  ],
  [
    'a password that is changed',
    after(
      ({ accounts }) =>
        () =>
          accounts.changePassword('u1', { current: PASSWORD, next: 'another passphrase' }, { caller: ORIGIN }),
    ),
    [{ type: 'password.changed', accountId: 'u1' }],
  ],
  [
    'a 401',
    after(
      ({ call }) =>
        () =>
          call('GET', '/posts', 'x.y.z'),
    ),
    [{ type: 'token.rejected' }],
  ],
  [
    'a 403',
    withToken(({ call }, token) => call('DELETE', '/posts', token)),
    [{ type: 'decision', point: 'DELETE /posts', accountId: 'u1', reason: 'no_permission' }],
  ],
  [
    'a decision point that fails',
    withToken(({ call }, token) => call('GET', '/broken', token)),
    [{ type: 'decision', point: 'GET /broken', accountId: 'u1', reason: 'error' }],
  ],
  [
    'a login that is not strong enough',
    withToken(({ call }, token) => call('POST', '/keys', token)),
    [{ type: 'step_up.required', accountId: 'u1', point: 'POST /keys' }],
  ],
];

function after(prepare: (world: World) => MaybePromise<() => unknown>): Act {
  return async (world) => {
    await world.register();
    return prepare(world);
  };
}

function withToken(act: (world: World, token: string) => unknown): Act {
  return after(async (world) => {
    const { accessToken } = await world.login();
    return () => act(world, accessToken);
  });
}

async function refreshable({ accounts }: World): Promise<string> {
  const login = await accounts.login({ username: 'ada', password: PASSWORD }, ORIGIN, { refreshToken: true });
  if (login.refreshToken === undefined) throw new Error('a login without a refresh token');
  return login.refreshToken;
}

describe('AUD-04 what happens is told once, with its type, its reason, and where it came from', () => {
  it.each(ACTS)('%s', async (_name, prepare, expected) => {
    const made = await world();
    const act = await prepare(made);
    const heard = await made.during(act);
    expect(heard).toMatchObject(expected.map((event) => ({ ...event, ...ORIGIN })));
    expect(heard).toHaveLength(expected.length);
    const text = JSON.stringify(heard);
    for (const secret of [PASSWORD, 'wrong"', 'nobody', 'eyJ', 'SECRET']) expect(text).not.toContain(secret);
  });

  it('a change of the keys, which is nobody’s request', async () => {
    const { during, keyring } = await world();
    const next = secretKey('zQ9xL2mZ7tR4pW8sK1nB6yD3hF5jC0gZ', { kid: 'two' });
    expect(await during(() => keyring.announce(next))).toEqual([{ type: 'key.rotated', kid: 'two', state: 'next' }]);
    expect(await during(() => keyring.promote('two'))).toEqual([
      { type: 'key.rotated', kid: 'two', state: 'active' },
      { type: 'key.rotated', kid: 'one', state: 'retired' },
    ]);
  });

  it('a configuration that cannot be meant is no event: what would be configured is never made', async () => {
    const { during } = await world();
    expect(await during(() => secretKey('short'))).toEqual([]);
    expect(() => secretKey('short')).toThrow();
  });
});

describe('AUD-09 why a token is refused', () => {
  it('is told to the log, and is the same 401 for everybody else', async () => {
    const { accounts, call, clock, during, issuer, login, register } = await world();
    await register();
    const tokens: Record<string, string> = {};
    tokens.ended = (await login()).accessToken;
    await accounts.logout(tokens.ended);
    tokens.revoked = (await login()).accessToken;
    await accounts.revokeToken(tokens.revoked);
    const good = (await login()).accessToken;
    tokens.signature = `${good.slice(0, -6)}AAAAAA`;
    tokens.malformed = 'x';
    tokens.loginless = issuer.issue({ sub: 'ada' });
    clock.now -= 3_600_000;
    tokens.expired = (await login()).accessToken;
    clock.now += 3_600_000;

    const answers = new Set<string>();
    const reasons = new Set<unknown>();
    for (const token of Object.values(tokens)) {
      const heard = await during(async () => {
        const response = await call('GET', '/posts', token);
        const headers = [...response.headers].sort();
        answers.add(JSON.stringify([response.status, headers, await response.text()]));
      });
      expect(heard).toMatchObject([{ type: 'token.rejected', ...ORIGIN }]);
      reasons.add(heard[0]?.reason);
    }
    expect(reasons.size).toBeGreaterThanOrEqual(5);
    expect([...answers]).toHaveLength(1);
    expect([...answers][0]).toContain('Bearer error=\\"invalid_token\\"');
    for (const reason of reasons) if (reason !== 'malformed') expect([...answers][0]).not.toContain(`"${reason}`);
    expect((await call('GET', '/posts', good)).status).toBe(200);
  });
});
