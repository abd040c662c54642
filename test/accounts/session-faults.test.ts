import type { SessionRecord, SessionStore } from 'doorward/accounts';
import { createMemorySessionStore } from 'doorward/stores/memory';
import { describe, expect, it } from 'vitest';
import {
  createWorld,
  device,
  loginClaims,
  outcome,
  PASSWORD,
  START,
  storedSession,
  untyped,
  type World,
} from './fixture.ts';

const faults: [string, () => Promise<never>][] = [
  ['rejects', () => Promise.reject(new Error('connection refused'))],
  ['throws', untyped(() => JSON.parse('{'))],
  ['never answers', () => new Promise(() => {})],
];
const NAMES = ['start', 'find', 'list', 'findByRefreshToken', 'rotate', 'end', 'endAll', 'revokeToken'] as const;
const NEXT = 'an even better passphrase';
const NULLS = { clientId: null, scopes: null, audience: null, dpopThumbprint: null, certificateThumbprint: null };

const verbs: [string, (world: World, id: string, token: string) => unknown][] = [
  ['login', (world) => world.login()],
  ['loginVerified', ({ accounts }, id) => accounts.loginVerified(id, { amr: ['hwk'] })],
  ['authenticate', ({ accounts }, _, token) => accounts.authenticate(token)],
  ['refresh', ({ accounts }, _, token) => accounts.refresh(token)],
  ['beginLogin', ({ accounts }) => accounts.beginLogin({ username: 'ada', password: PASSWORD })],
  ['rotate', ({ accounts }) => accounts.rotate('x'.repeat(43))],
  ['logout', ({ accounts }, _, token) => accounts.logout(token)],
  ['sessionsOf', ({ accounts }, id) => accounts.sessionsOf(id)],
  ['revokeSession', ({ accounts }, id) => accounts.revokeSession(id, 'sid')],
  ['revokeAllFor', ({ accounts }, id) => accounts.revokeAllFor(id)],
  ['revokeToken', ({ accounts }, _, token) => accounts.revokeToken(token)],
  ['changePassword', ({ accounts }, id) => accounts.changePassword(id, { current: PASSWORD, next: NEXT })],
  ['setPassword', ({ accounts }, id) => accounts.setPassword(id, NEXT)],
  ['remove', ({ accounts }, id) => accounts.remove(id)],
];

describe.each(faults)('a session store that %s', (_, fault) => {
  it.each(verbs)('STO-06 STO-12 makes %s unavailable, never allowed and never "no session"', async (__, verb) => {
    const sessions = Object.fromEntries(NAMES.map((name) => [name, fault]));
    const world = createWorld({ sessions: untyped<SessionStore>(sessions), storeTimeoutMs: 20 });
    const { id } = await world.register();
    await expect(verb(world, id, world.sign(loginClaims(id)))).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      status: 503,
      message: 'Service Unavailable',
      cause: expect.any(Error),
    });
  });

  it('counts as no failed login', async () => {
    const world = createWorld({ sessions: { ...createMemorySessionStore(), start: fault }, storeTimeoutMs: 20 });
    await world.register();
    for (let i = 0; i < 12; i += 1) expect(await outcome(world.login())).toBe('SERVICE_UNAVAILABLE');
  });

  it('closes the sockets of a removed account all the same', async () => {
    const revoked: string[] = [];
    const sessions = { ...createMemorySessionStore(), endAll: fault };
    const world = createWorld({ sessions, storeTimeoutMs: 20, onRevoked: (id) => revoked.push(id) });
    const { id } = await world.register();
    const { accessToken } = await world.login();
    expect(await outcome(world.accounts.remove(id))).toBe('SERVICE_UNAVAILABLE');
    expect(revoked).toEqual([id]);
    expect(await world.accounts.authenticate(accessToken)).toEqual({ ok: false, reason: 'unknown_account' });
  });
});

describe('what a session store answers', () => {
  async function answering(record: unknown): Promise<{ world: World; id: string; token: string }> {
    const answer = async () => untyped<SessionRecord>(record);
    const sessions: SessionStore = {
      ...createMemorySessionStore(),
      find: answer,
      findByRefreshToken: async () => untyped(record == null ? record : { session: record, usable: true }),
      list: async () => untyped([record]),
    };
    const world = createWorld({ sessions, ids: () => 'id-ada' });
    const { id } = await world.register();
    return { world, id, token: world.sign(loginClaims(id)) };
  }

  it.each([null, undefined])('STO-13 a promise of %s is no session', async (record) => {
    const { world, token } = await answering(record);
    expect(await world.accounts.authenticate(token)).toEqual({ ok: false, reason: 'session_ended' });
    expect(await outcome(world.accounts.rotate('x'.repeat(43)))).toBe('AUTH_INVALID_GRANT');
  });

  it.each([
    ['a frozen object', Object.freeze(storedSession())],
    ['an object without prototype', Object.assign(Object.create(null), storedSession())],
    ['more properties than asked for', { ...storedSession(), roles: ['admin'] }],
    ['null where a column is empty', { ...storedSession(), ...NULLS }],
  ])('STO-13 %s is read by its own properties', async (_, record) => {
    const { world, token } = await answering(record);
    expect(await world.accounts.authenticate(token)).toMatchObject({ ok: true, principal: { roles: ['viewer'] } });
    expect(await world.accounts.sessionsOf('id-ada')).toHaveLength(1);
  });

  it.each([
    ['inherited properties only', Object.create(storedSession())],
    ['true', true],
    ['a string', 'sid'],
    ['an array', [storedSession()]],
    ['another session', storedSession({ id: 'other' })],
    ['no end', { ...storedSession(), endsAt: undefined }],
    ['an end that is no number', { ...storedSession(), endsAt: '9e99' }],
    ['an end beyond dates', storedSession({ endsAt: Number.POSITIVE_INFINITY })],
    ['methods that are no list', { ...storedSession(), amr: 'pwd' }],
    ['no class', { ...storedSession(), acr: undefined }],
    ['a number as account', { ...storedSession(), accountId: 7 }],
    ['a number as thumbprint', { ...storedSession(), certificateThumbprint: 7 }],
  ])('STO-13 %s is refused as unavailable, not believed', async (_, record) => {
    const { world, token } = await answering(record);
    expect(await outcome(Promise.resolve(world.accounts.authenticate(token)))).toBe('SERVICE_UNAVAILABLE');
  });

  it('STO-09 a session that should have ended has, whatever a stale store says', async () => {
    for (const endsAt of [START, START - 1]) {
      const { world, id, token } = await answering(storedSession({ endsAt }));
      expect(await world.accounts.authenticate(token)).toEqual({ ok: false, reason: 'session_ended' });
      expect(await outcome(world.accounts.rotate('x'.repeat(43)))).toBe('AUTH_INVALID_GRANT');
      expect(await world.accounts.sessionsOf(id)).toEqual([]);
    }
  });

  it('lists nobody the sessions of another account', async () => {
    const { world } = await answering(storedSession({ accountId: 'id-eve' }));
    expect(await outcome(world.accounts.sessionsOf('id-ada'))).toBe('SERVICE_UNAVAILABLE');
    expect(await outcome(world.accounts.revokeSession('id-ada', 'sid'))).toBe('SERVICE_UNAVAILABLE');
  });

  it.each([
    undefined,
    null,
    true,
    'rotated',
    {},
    { kind: 'ROTATED', session: storedSession() },
    { kind: 'rotated' },
    { kind: 'rotated', session: null },
    { kind: 'rotated', session: { ...storedSession(), amr: null } },
    { kind: 'rotated', session: storedSession({ id: 'another' }) },
    { kind: 'repeated', session: storedSession() },
    { kind: 'reused' },
    Object.create({ kind: 'refused' }),
  ])('STO-10 %j is no answer to a rotation: nobody gets a token', async (answer) => {
    const world = createWorld();
    const sessions = { ...world.options.sessions, rotate: async () => untyped<never>(answer) };
    const broken = createWorld({ ...world.options, sessions });
    await world.register();
    const { refreshToken } = await device(world);
    expect(await outcome(broken.accounts.rotate(refreshToken))).toBe('SERVICE_UNAVAILABLE');
    expect(broken.auditTypes()).not.toContain('token.refreshed');
  });

  it.each([1, 'true', undefined, null, { rowCount: 1 }])('STO-10 %j is no answer to start and end', async (answer) => {
    const said = async () => untyped<boolean>(answer);
    const world = createWorld();
    await world.register();
    const { accessToken } = await world.login();
    const sessions = { ...world.options.sessions, start: said, end: said };
    const broken = createWorld({ ...world.options, sessions });
    expect(await outcome(broken.login())).toBe('SERVICE_UNAVAILABLE');
    expect(await outcome(broken.accounts.logout(accessToken))).toBe('SERVICE_UNAVAILABLE');
  });
});

describe('listeners of the end of a session', () => {
  it.each(faults)('that %s are told of, and the session has ended', async (_, fault) => {
    const world = createWorld({ onSessionEnded: fault, storeTimeoutMs: 20 });
    await world.register();
    const { accessToken } = await world.login();
    expect(await outcome(world.accounts.logout(accessToken))).toBe('SERVICE_UNAVAILABLE');
    expect(await world.accounts.authenticate(accessToken)).toEqual({ ok: false, reason: 'session_ended' });
  });
});
