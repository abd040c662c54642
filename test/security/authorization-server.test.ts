import { createHash, generateKeyPairSync } from 'node:crypto';
import type { Accounts } from 'doorward/accounts';
import {
  type AuthorizationServer,
  type AuthorizationServerOptions,
  type ClientMetadata,
  createClientRegistry,
  type PageForm,
  renderPage,
} from 'doorward/oauth';
import { createMemoryCodeStore } from 'doorward/stores/memory';
import { privateKey } from 'doorward/tokens';
import { describe, expect, it } from 'vitest';
import { createWorld, PASSWORD } from '../accounts/fixture.ts';
import { createServer } from './oauth-support.ts';

const ISSUER = 'https://login.example.org/tenant';
const CALLBACK = 'https://app.example.org/callback';
const SECRET = 'hT7vQ2mZk9Lw4XsRb8Nc3JfYp6Dg1Ea5';
/** RFC 7636 appendix B. */
const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
const ASKED = {
  ...{ response_type: 'code', client_id: 'ours', redirect_uri: CALLBACK, scope: 'openid create', state: 's' },
  ...{ code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM', code_challenge_method: 'S256' },
};
const key = privateKey(generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey, { kid: 'k1' });
const own = { redirect_uris: [CALLBACK], scope: 'openid create' };
const CLIENTS: readonly ClientMetadata[] = [
  { client_id: 'ours', token_endpoint_auth_method: 'none', consent: 'implied', ...own },
  { client_id: 'second', token_endpoint_auth_method: 'none', consent: 'implied', ...own },
  {
    ...{ client_id: 'bound', client_secret: SECRET, token_endpoint_auth_method: 'client_secret_basic' },
    ...{ tls_client_certificate_bound_access_tokens: true, grant_types: ['client_credentials'], scope: 'create' },
  },
];

interface Open {
  readonly server: AuthorizationServer;
  send(path: string, init?: RequestInit): Promise<Response>;
  /** What an authorization request is answered with, by a browser in which `ada` has logged in. */
  authorize(changes?: Record<string, string>): Promise<Record<string, string>>;
  redeem(code: string | undefined): Promise<{ status: number; body: Record<string, unknown> }>;
}

async function open(
  changes: Partial<AuthorizationServerOptions> = {},
  grants: Partial<Accounts['grants']> = {},
): Promise<Open> {
  const { accounts, register, options } = createWorld();
  await register();
  const forms: PageForm[] = [];
  const server = createServer({
    issuer: ISSUER,
    accounts: { ...accounts, grants: { ...accounts.grants, ...grants } },
    clients: createClientRegistry(CLIENTS),
    keys: { keys: [key], active: key },
    clock: options.clock ?? Date.now,
    page(view) {
      if (view.kind !== 'error') forms.push(view.form);
      return renderPage(view);
    },
    ...changes,
  });
  const cookies = new Map<string, string>();
  const send: Open['send'] = async (path, init = {}) => {
    const cookie = [...cookies].map((pair) => pair.join('=')).join('; ');
    const request = new Request(new URL(path, ISSUER), { ...init, headers: { cookie, ...init.headers } });
    const response = await server.handler(request, { requestId: 'r1', ip: '192.0.2.1' });
    for (const line of response.headers.getSetCookie()) {
      const [name = '', value = ''] = (line.split(';')[0] ?? '').split('=');
      cookies.set(name, value);
    }
    return response;
  };
  return {
    server,
    send,
    async authorize(asked = {}) {
      const address = `/tenant/authorize?${new URLSearchParams({ ...ASKED, ...asked })}`;
      const first = await send(address);
      const login = { ...forms.at(-1)?.hidden, username: 'ada', password: PASSWORD, action: 'login' };
      const isPage = first.status === 200;
      const answer = isPage ? await send(address, { method: 'POST', body: new URLSearchParams(login) }) : first;
      return Object.fromEntries(new URL(answer.headers.get('location') ?? '').searchParams);
    },
    async redeem(code = '') {
      const form = { grant_type: 'authorization_code', code, client_id: 'ours', redirect_uri: CALLBACK };
      const body = new URLSearchParams({ ...form, code_verifier: VERIFIER });
      const answer = await send('/tenant/oauth/token', { method: 'POST', body });
      return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
    },
  };
}

describe('an authorization server', () => {
  it('OAU-07 tells the client of its own failure by a redirect, without a word about the cause', async () => {
    const put = async (): Promise<never> => Promise.reject(new TypeError('password=hunter2'));
    const { authorize } = await open({ codes: { ...createMemoryCodeStore(), put } });
    expect(await authorize()).toEqual({
      ...{
        error: 'temporarily_unavailable',
        error_description: 'The server cannot answer now',
        state: 's',
        iss: ISSUER,
      },
    });
    const page = () => {
      throw new TypeError('password=hunter2');
    };
    const broken = await open({ page });
    expect(await broken.authorize()).toEqual({
      ...{ error: 'server_error', error_description: 'The server could not answer', state: 's', iss: ISSUER },
    });
  });

  it('answers a failure at the token endpoint with JSON, without a word about the cause', async () => {
    const seen: unknown[] = [];
    const start = async (): Promise<never> => Promise.reject(new TypeError('password=hunter2'));
    const { authorize, redeem } = await open({ onError: (error) => seen.push(error) }, { start });
    const { code } = await authorize();
    expect(await redeem(code)).toEqual({
      status: 500,
      body: { error: 'server_error', error_description: 'The server could not answer' },
    });
    expect(seen).toEqual([new TypeError('password=hunter2')]);
    expect(await redeem(code)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
  });

  it('OAU-24 ends what a replayed code gave even where the store of codes has failed', async () => {
    const codes = createMemoryCodeStore();
    let isDown = false;
    const { server, authorize, redeem } = await open({
      codes: { ...codes, take: async (...args) => (isDown ? Promise.reject(new Error('down')) : codes.take(...args)) },
    });
    const { code } = await authorize();
    const { body } = await redeem(code);
    expect(await server.authenticate(String(body.access_token), {})).toHaveProperty('ok', true);
    isDown = true;
    expect(await redeem(code)).toMatchObject({ status: 503, body: { error: 'temporarily_unavailable' } });
    expect(await server.authenticate(String(body.access_token), {})).toHaveProperty('ok', false);
  });

  it('DOS-12 gives an account and a client so many codes a minute, and others theirs', async () => {
    const { authorize } = await open({ codesPerMinute: 5 });
    await authorize();
    const answers = await Promise.all(Array.from({ length: 50 }, () => authorize()));
    const refused = answers.filter(({ error, code }) => error === 'temporarily_unavailable' && code === undefined);
    expect(refused).toHaveLength(46);
    expect(await authorize({ client_id: 'second' })).toHaveProperty('code');
  });

  it('keeps codes by their hash, and no token at all', async () => {
    const codes = createMemoryCodeStore();
    const kept: unknown[] = [];
    const put: typeof codes.put = async (...args) => {
      kept.push(args);
      await codes.put(...args);
    };
    const { authorize } = await open({ codes: { ...codes, put } });
    const { code = '' } = await authorize();
    expect(code).toMatch(/^[\w-]{43}$/);
    expect(JSON.stringify(kept)).not.toContain(code);
    expect(kept).toMatchObject([
      [createHash('sha256').update(code).digest('base64url'), {}, expect.any(Number), expect.any(Number)],
    ]);
  });

  it('challenges whoever used the Authorization header, where a certificate is what is missing too', async () => {
    const authorization = `Basic ${Buffer.from(`bound:${SECRET}`).toString('base64')}`;
    const answer = await (await open()).send('/tenant/oauth/token', {
      method: 'POST',
      headers: { authorization },
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
    });
    expect([answer.status, await answer.json()]).toMatchObject([401, { error: 'invalid_client' }]);
    expect(answer.headers.get('www-authenticate')).toBe(`Basic realm="${ISSUER}"`);
  });

  it('with a path has its metadata at each of the places that clients look at', async () => {
    const { send } = await open();
    const issuerAt = async (path: string): Promise<unknown> => {
      const answer = await send(path);
      return answer.status === 200 ? ((await answer.json()) as { issuer: unknown }).issuer : answer.status;
    };
    expect(await issuerAt('/.well-known/oauth-authorization-server/tenant')).toBe(ISSUER);
    expect(await issuerAt('/tenant/.well-known/openid-configuration')).toBe(ISSUER);
    expect(await issuerAt('/.well-known/openid-configuration/tenant')).toBe(ISSUER);
    for (const path of ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration', '/jwks']) {
      expect(await issuerAt(path)).toBe(404);
    }
  });
});
