import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto';
import { createAccounts, type SessionRecord } from 'doorward/accounts';
import {
  type AuthorizationServer,
  type AuthorizationServerOptions,
  type CodeRecord,
  createClientRegistry,
} from 'doorward/oauth';
import { createBcryptHasher } from 'doorward/passwords';
import {
  createMemoryAccountStore,
  createMemoryCodeStore,
  createMemoryConsentStore,
  createMemoryRateLimitStore,
  createMemorySessionStore,
} from 'doorward/stores/memory';
import { createTokenIssuer, createTokenVerifier, privateKey, secretKey } from 'doorward/tokens';
import { describe, expect, it } from 'vitest';
import { createServer } from './oauth-support.ts';

const START = Date.UTC(2026, 0, 1, 12);
const ISSUER = 'https://login.example.org';
const API = 'https://api.example.org';
const CALLBACK = 'https://app.example.org/callback';
/** RFC 7636 appendix B. */
const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';
const WRONG = 'x'.repeat(43);
const BILLING_SECRET = 'hT7vQ2mZk9Lw4XsRb8Nc3JfYp6Dg1Ea5';

const signing = privateKey(generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey, { kid: 'k1' });
const secret = secretKey('kE2v9pXr7QmZt4Ls8WnYb3Hd6Jc1Gf5A');
const hasher = createBcryptHasher({ cost: 4, workers: 1 });

interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

type Hook = (call: string) => Promise<void>;

/** A server over stores in memory, each of whose calls goes through `hooks.before` and `hooks.after`. */
async function createWorld(changes: Partial<AuthorizationServerOptions> = {}) {
  const time = { now: START };
  const clock = (): number => time.now;
  const hooks: { before: Hook; after: Hook } = { before: async () => undefined, after: async () => undefined };
  const hooked = <T extends object>(name: string, store: T): T =>
    new Proxy(store, {
      get(target, key) {
        const member: unknown = Reflect.get(target, key);
        if (typeof member !== 'function') return member;
        return async (...args: unknown[]) => {
          const call = `${name}.${String(key)}`;
          await hooks.before(call);
          const result = await member.apply(target, args);
          await hooks.after(call);
          return result;
        };
      },
    });
  const sessions = createMemorySessionStore();
  const accounts = createAccounts({
    store: hooked('accounts', createMemoryAccountStore()),
    sessions: hooked('sessions', sessions),
    limits: createMemoryRateLimitStore(),
    issuer: createTokenIssuer({ key: secret, clock }),
    verifier: createTokenVerifier({ keys: [secret], clock }),
    ...{ hasher, clock, roles: ['viewer'], storeTimeoutMs: 60_000 },
  });
  const codes = hooked('codes', createMemoryCodeStore());
  const consents = hooked('consents', createMemoryConsentStore());
  const server = createServer({
    issuer: ISSUER,
    resource: API,
    accounts,
    codes,
    consents,
    clients: createClientRegistry([
      {
        client_id: 'spa',
        token_endpoint_auth_method: 'none',
        redirect_uris: [CALLBACK],
        scope: 'openid profile create',
      },
      { client_id: 'other', token_endpoint_auth_method: 'none', redirect_uris: [CALLBACK], scope: 'create' },
      {
        client_id: 'billing',
        token_endpoint_auth_method: 'client_secret_post',
        client_secret: BILLING_SECRET,
        grant_types: ['client_credentials'],
        scope: 'openid create',
      },
    ]),
    keys: { keys: [signing], active: signing },
    clock,
    // A machine that is busy with 1,000 requests is not a store that is down.
    storeTimeoutMs: 60_000,
    ...changes,
  });
  const account = await accounts.register({ username: 'Ada', password: 'a good passphrase', email: 'ada@example.org' });
  await sessions.start(loginOf(account.id));
  await consents.grant(account.id, 'spa', ['openid', 'profile', 'create'], START - 1);

  const post = async (form: Readonly<Record<string, string>>): Promise<Answer> => {
    const request = new Request(`${ISSUER}/oauth/token`, { method: 'POST', body: new URLSearchParams(form) });
    const response = await server.handler(request, { requestId: 'r1', ip: '192.0.2.1' });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  return {
    ...{ server, accounts, account, sessions, hooks, time, post },
    async putCode(fields: Partial<CodeRecord> = {}): Promise<string> {
      const code = randomBytes(32).toString('base64url');
      const record: CodeRecord = {
        ...{ clientId: 'spa', accountId: account.id, redirectUri: CALLBACK, codeChallenge: CHALLENGE },
        ...{ scopes: ['openid', 'profile', 'create'], audience: [API], authTime: START / 1_000, amr: ['pwd'] },
        ...{ acr: 'aal1', loginSessionId: 'login', issuedAt: START, expiresAt: START + 60_000, ...fields },
      };
      const hash = createHash('sha256').update(code).digest('base64url');
      await codes.put(hash, record, START + 86_400_000, START);
      return code;
    },
    redeem: (code: string, form: Readonly<Record<string, string>> = {}): Promise<Answer> =>
      post({
        ...{ grant_type: 'authorization_code', client_id: 'spa', code },
        ...{ redirect_uri: CALLBACK, code_verifier: VERIFIER, ...form },
      }),
    refresh: (token: unknown, form: Readonly<Record<string, string>> = {}): Promise<Answer> =>
      post({ grant_type: 'refresh_token', client_id: 'spa', refresh_token: String(token), ...form }),
  };
}

/** The login at the server that all codes come of. */
const loginOf = (accountId: string): SessionRecord => ({
  ...{ id: 'login', accountId, authTime: START / 1_000, amr: ['pwd'], acr: 'aal1' },
  ...{ startedAt: START, endsAt: START + 2_592_000_000 },
});

const short = ({ status, body }: Answer) => ({ status, ...(body.error !== undefined && { error: body.error }) });
const INVALID_GRANT = { status: 400, error: 'invalid_grant' };

async function isGood(server: AuthorizationServer, token: unknown): Promise<boolean> {
  const { ok } = await server.authenticate(String(token), { requestId: 'r2' });
  const { active } = await server.introspect(String(token));
  expect(active).toBe(ok);
  return ok;
}

function claimsOf(token: unknown): Record<string, unknown> {
  return JSON.parse(Buffer.from(String(token).split('.')[1] ?? '', 'base64url').toString());
}

describe('authorization codes', () => {
  it('are redeemed once by 1,000 parallel requests, and what they gave is dead (X1)', async () => {
    const { server, hooks, putCode, redeem, refresh } = await createWorld();
    const code = await putCode();
    const late = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 2 + Math.random() * 8));
    Object.assign(hooks, { before: late, after: late });
    const answers = await Promise.all(Array.from({ length: 1_000 }, () => redeem(code)));
    const won = answers.filter(({ status }) => status === 200);
    expect(won).toHaveLength(1);
    expect(answers.filter(({ body }) => body.error === 'invalid_grant')).toHaveLength(999);
    Object.assign(hooks, { before: async () => undefined, after: async () => undefined });
    expect(await isGood(server, won[0]?.body.access_token)).toBe(false);
    expect(short(await refresh(won[0]?.body.refresh_token))).toEqual(INVALID_GRANT);
  });

  it('end what they gave when they come again, whoever brings them (OAU-22, OAU-23)', async () => {
    const { server, putCode, redeem, refresh } = await createWorld();
    for (const form of [{}, { client_id: 'other' }, { code_verifier: WRONG }] as Record<string, string>[]) {
      const code = await putCode();
      const { body } = await redeem(code);
      expect(await isGood(server, body.access_token)).toBe(true);
      expect(short(await redeem(code, form))).toEqual(INVALID_GRANT);
      expect(await isGood(server, body.access_token)).toBe(false);
      expect(short(await refresh(body.refresh_token))).toEqual(INVALID_GRANT);
    }
  });

  it('survive a wrong verifier and not the fifth (OAU-11)', async () => {
    const { putCode, redeem } = await createWorld();
    const code = await putCode();
    expect(short(await redeem(code, { code_verifier: WRONG }))).toEqual(INVALID_GRANT);
    expect(short(await redeem(code))).toEqual({ status: 200 });
    const dead = await putCode();
    for (let i = 0; i < 5; i += 1) await redeem(dead, { code_verifier: WRONG });
    expect(short(await redeem(dead))).toEqual(INVALID_GRANT);
  });

  it('are for one client, one redirect URI and one minute (OAU-15, OAU-16)', async () => {
    const { server, time, putCode, redeem } = await createWorld();
    const code = await putCode();
    expect(short(await redeem(code, { client_id: 'other' }))).toEqual(INVALID_GRANT);
    expect(short(await redeem(code, { redirect_uri: `${CALLBACK}?` }))).toEqual(INVALID_GRANT);
    expect(short(await redeem(code, { redirect_uri: '' }))).toEqual({ status: 400, error: 'invalid_request' });
    const get = new Request(`${ISSUER}/oauth/token?grant_type=authorization_code&code=${code}`);
    expect((await server.handler(get, { requestId: 'r' })).status).toBe(405);
    time.now += 61_000;
    expect(short(await redeem(code))).toEqual(INVALID_GRANT);
  });

  it('give nothing once the sessions of the account have been ended', async () => {
    const { accounts, account, time, putCode, redeem } = await createWorld();
    const code = await putCode();
    time.now += 1_000;
    await accounts.revokeAllFor(account.id);
    expect(short(await redeem(code))).toEqual(INVALID_GRANT);
  });

  it('give nothing once the consent was taken back', async () => {
    const { server, account, sessions, time, putCode, redeem } = await createWorld();
    const code = await putCode();
    await server.consents.revoke(account.id, 'spa');
    expect(short(await redeem(code))).toEqual(INVALID_GRANT);
    expect(await sessions.list(account.id, time.now)).toMatchObject([{ id: 'login' }]);
  });
});

describe('a store that fails while tokens are given', () => {
  it.each(['before', 'after'] as const)(
    'gives none, at whichever call, %s it was done (STO-01, STO-02)',
    async (when) => {
      const { accounts, account, sessions, hooks, time, putCode, redeem } = await createWorld();
      let calls: string[] = [];
      let failing = Number.POSITIVE_INFINITY;
      const count: Hook = async (call) => {
        calls.push(call);
        if (calls.length === failing) throw new Error('the connection was lost');
      };
      hooks[when] = count;
      const trial = async (index: number): Promise<Answer & { readonly code: string }> => {
        const code = await putCode();
        calls = [];
        failing = index;
        const answer = await redeem(code);
        failing = Number.POSITIVE_INFINITY;
        return { ...answer, code };
      };
      const good = await trial(Number.POSITIVE_INFINITY);
      expect(good.status).toBe(200);
      await redeem(good.code);
      await trial(Number.POSITIVE_INFINITY);
      const sequence = [...calls];
      await accounts.grants.endOfClient(account.id, 'spa', 'revoked');
      expect(sequence.length).toBeGreaterThan(5);
      for (const [index, call] of sequence.entries()) {
        const answer = await trial(index + 1);
        expect({ call, ...short(answer) }).toEqual({ call, status: 503, error: 'temporarily_unavailable' });
        expect(Object.keys(answer.body)).toEqual(['error', 'error_description']);
        const taken = sequence.indexOf('codes.take');
        const isTaken = index > taken || (index === taken && when === 'after');
        const left = await sessions.list(account.id, time.now);
        expect({ call, left }).toEqual({ call, left: [loginOf(account.id)] });
        if (isTaken) expect(short(await redeem(answer.code))).toEqual(INVALID_GRANT);
        else expect(short(await redeem(answer.code))).toEqual({ status: 200 });
        if (!isTaken) await redeem(answer.code);
      }
    },
  );

  it('is answered for at the deadline (STO-06)', async () => {
    const { hooks, putCode, redeem } = await createWorld({ storeTimeoutMs: 50 });
    const code = await putCode();
    hooks.before = (call) => (call === 'codes.find' ? new Promise(() => undefined) : Promise.resolve());
    expect(short(await redeem(code))).toEqual({ status: 503, error: 'temporarily_unavailable' });
  });

  it('costs no login when the answer of a refresh was lost (STO-04)', async () => {
    const { server, hooks, putCode, redeem, refresh } = await createWorld();
    const { body } = await redeem(await putCode());
    hooks.after = async (call) => {
      if (call === 'sessions.rotate') throw new Error('the connection was lost');
    };
    expect(short(await refresh(body.refresh_token))).toEqual({ status: 503, error: 'temporarily_unavailable' });
    hooks.after = async () => undefined;
    const again = await refresh(body.refresh_token);
    expect(short(again)).toEqual({ status: 200 });
    expect(await isGood(server, again.body.access_token)).toBe(true);
  });
});

describe('refresh tokens', () => {
  it('keep the whole scope, and survive a request that asks for too much (REF-10, REF-11)', async () => {
    const { putCode, redeem, refresh } = await createWorld();
    const { body } = await redeem(await putCode());
    for (const scope of ['create delete', 'openid email', 'create  openid']) {
      expect(short(await refresh(body.refresh_token, { scope }))).toEqual({ status: 400, error: 'invalid_scope' });
    }
    const narrow = await refresh(body.refresh_token, { scope: 'create' });
    expect(narrow.body).toMatchObject({ scope: 'create' });
    expect(narrow.body).not.toHaveProperty('id_token');
    expect((await refresh(narrow.body.refresh_token)).body.scope).toBe('openid profile create');
  });

  it('give 50 parallel requests one successor', async () => {
    const { putCode, redeem, refresh } = await createWorld();
    const { body } = await redeem(await putCode());
    const answers = await Promise.all(Array.from({ length: 50 }, () => refresh(body.refresh_token)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(answers.map((answer) => answer.body.refresh_token)).size).toBe(1);
  });

  it('belong to their client', async () => {
    const { putCode, redeem, refresh } = await createWorld();
    const { body } = await redeem(await putCode());
    expect(short(await refresh(body.refresh_token, { client_id: 'other' }))).toEqual(INVALID_GRANT);
    expect(short(await refresh(body.refresh_token))).toEqual({ status: 200 });
  });
});

describe('a client that acts for itself', () => {
  const FORM = { grant_type: 'client_credentials', client_id: 'billing', client_secret: BILLING_SECRET };

  it('is never taken for an account of its name (OAU-37)', async () => {
    const { server, accounts, post } = await createWorld();
    const { id } = await accounts.register({
      username: 'billing',
      password: 'a good passphrase',
      email: 'b@example.org',
    });
    const { body } = await post(FORM);
    expect(claimsOf(body.access_token)).toMatchObject({ sub: 'client:billing', client_id: 'billing' });
    expect(await server.authenticate(String(body.access_token), { requestId: 'r' })).toMatchObject({
      ok: true,
      principal: { id: 'client:billing' },
    });
    expect(claimsOf(body.access_token)).not.toMatchObject({ uid: id });
    await expect(
      accounts.register({ username: 'client:billing', password: 'a good passphrase', email: 'c@example.org' }),
    ).rejects.toMatchObject({ code: 'INPUT_INVALID' });
  });

  it('needs its secret, its registration, and scopes that are not about people (OAU-25)', async () => {
    const { post } = await createWorld();
    expect(short(await post({ ...FORM, client_secret: WRONG }))).toEqual({ status: 401, error: 'invalid_client' });
    expect(short(await post({ ...FORM, scope: 'openid' }))).toEqual({ status: 400, error: 'invalid_scope' });
    const spa = { grant_type: 'client_credentials', client_id: 'spa' };
    expect(short(await post(spa))).toEqual({ status: 400, error: 'unauthorized_client' });
    const { body } = await post(FORM);
    expect(body).toMatchObject({ scope: 'create' });
    expect(body).not.toHaveProperty('refresh_token');
  });
});
