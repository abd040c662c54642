import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

const base64url = (text: string) => Buffer.from(text).toString('base64url');
const jwt = (claims: object) => `e30.${base64url(JSON.stringify(claims))}.c2ln`;

describe('the server of the demo application', () => {
  let child: ChildProcess;
  let port: number;
  beforeAll(async () => {
    const env = { ...process.env, PORT: '0', ISSUER: 'http://localhost:4999/tenant' };
    child = spawn(process.execPath, ['examples/oauth-client/serve.mjs'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    const [line] = (await once(child.stdout ?? child, 'data')) as [Buffer];
    port = Number(/127\.0\.0\.1:(\d+)/.exec(line.toString())?.[1]);
  });
  afterAll(async () => {
    child.kill();
    await once(child, 'exit');
  });
  const get = (path: string, init?: RequestInit) => fetch(`http://127.0.0.1:${port}${path}`, init);

  it.each(['/', '/callback?code=x&state=y', '/app.js', '/oauth.js', '/style.css', '/config.json', '/nothing'])(
    'sends %s with strict headers',
    async (path) => {
      const { status, headers } = await get(path);
      expect(status).toBe(path === '/nothing' ? 404 : 200);
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('content-security-policy')).toContain("connect-src 'self' http://localhost:4999;");
      expect(headers.get('content-security-policy')).not.toContain('unsafe');
    },
  );

  it.each(['/../serve.mjs', '/..%2f..%2f..%2fpackage.json', '//etc/passwd', '/serve.mjs', '/README.md', '/__proto__'])(
    'sends no file for the path %s, as it is on the wire',
    async (path) => {
      const socket = connect(port, '127.0.0.1');
      socket.end(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n`);
      let answer = '';
      for await (const chunk of socket) answer += String(chunk);
      expect(answer).toMatch(/^HTTP\/1\.1 404 /);
    },
  );

  it('takes no other methods', async () => {
    const { status, headers } = await get('/', { method: 'POST', body: 'x' });
    expect([status, headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });
});

type Login = { code: string; verifier: string; nonce: string };
type Tokens = Readonly<Record<string, string>>;
interface Protocol {
  discover(issuer: string): Promise<Record<string, string>>;
  beginLogin(options: object): Promise<string>;
  finishLogin(options: object): Login;
  redeem(options: object): Promise<Tokens>;
  refresh(options: object): Promise<Tokens>;
  userinfo(options: object): Promise<object>;
  revoke(options: object): Promise<void>;
}

describe('the protocol of the demo application', () => {
  let protocol: Protocol;
  let server: Server;
  let issuer: string;
  let answers: Map<string, object>;
  let sent: { path: string; body: URLSearchParams; authorization: string | undefined }[];
  let kept: Map<string, string>;
  let redirects = false;
  const clientId = 'demo-spa';
  const redirectUri = 'http://127.0.0.1:5173/callback';
  const storage = {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, value: string) => kept.set(name, value),
    removeItem: (name: string) => kept.delete(name),
  };

  beforeAll(async () => {
    protocol = (await import(pathToFileURL(resolve('examples/oauth-client/oauth.js')).href)) as Protocol;
    server = createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += String(chunk);
      const path = request.url ?? '';
      sent.push({ path, body: new URLSearchParams(body), authorization: request.headers.authorization });
      if (redirects) return response.writeHead(307, { location: '/elsewhere' }).end();
      const answer = answers.get(path);
      response.writeHead(answer === undefined ? 400 : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(answer ?? { error: 'invalid_grant' }));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => server.close());
  beforeEach(() => {
    sent = [];
    kept = new Map();
    answers = new Map([['/.well-known/openid-configuration', metadata()]]);
  });

  const metadata = () => ({
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/oauth/token`,
    userinfo_endpoint: `${issuer}/oauth/userinfo`,
    revocation_endpoint: `${issuer}/oauth/revoke`,
    code_challenge_methods_supported: ['S256'],
  });
  const begin = async () =>
    new URL(await protocol.beginLogin({ metadata: metadata(), clientId, redirectUri, scope: 'openid', storage }))
      .searchParams;
  const finish = (answer: Readonly<Record<string, string>> | string) =>
    protocol.finishLogin({ search: `?${new URLSearchParams(answer)}`, issuer, storage });
  const stateOf = async () => (await begin()).get('state') ?? '';

  it('begins with a fresh state, nonce and S256 challenge, and keeps nothing that is a token', async () => {
    const [first, second] = [await begin(), await begin()];
    for (const name of ['state', 'nonce', 'code_challenge']) {
      expect(first.get(name)).toMatch(/^[\w-]{43}$/);
      expect(first.get(name)).not.toBe(second.get(name));
    }
    expect(first.get('code_challenge_method')).toBe('S256');
    const { verifier } = finish({ code: 'c', state: first.get('state') ?? '', iss: issuer });
    expect(createHash('sha256').update(verifier).digest('base64url')).toBe(first.get('code_challenge'));
  });

  it('refuses metadata of another issuer, and an issuer without PKCE', async () => {
    await expect(protocol.discover(`${issuer}`)).resolves.toMatchObject({ issuer });
    answers.set('/.well-known/openid-configuration', { ...metadata(), issuer: `${issuer}/` });
    await expect(protocol.discover(issuer)).rejects.toThrow('another issuer');
    answers.set('/.well-known/openid-configuration', { ...metadata(), code_challenge_methods_supported: ['plain'] });
    await expect(protocol.discover(issuer)).rejects.toThrow('PKCE');
  });

  it('refuses an answer that it did not ask for, and the same answer a second time', async () => {
    const answer = { code: 'c', state: await stateOf(), iss: issuer };
    expect(() => finish({ ...answer, state: 'other' })).toThrow('no login');
    expect(() => finish({ code: 'c', iss: issuer })).toThrow('no login');
    expect(finish(answer).code).toBe('c');
    expect(() => finish(answer)).toThrow('no login');
  });

  it('refuses an answer without the issuer, or of another, before it believes an error', async () => {
    expect(() => finish({ code: 'c', state: 'x' })).toThrow('no login');
    const noIssuer = { error: 'access_denied', state: await stateOf() };
    expect(() => finish(noIssuer)).toThrow('another issuer');
    const foreign = { code: 'c', state: await stateOf(), iss: 'https://evil.example' };
    expect(() => finish(foreign)).toThrow('another issuer');
    const refused = { error: 'access_denied', state: await stateOf(), iss: issuer };
    expect(() => finish(refused)).toThrow('access_denied');
  });

  it('refuses an answer that names something twice', async () => {
    const state = await stateOf();
    expect(() => finish(`code=a&code=b&state=${state}&iss=${encodeURIComponent(issuer)}`)).toThrow('twice');
  });

  const login: Login = { code: 'c', verifier: 'v', nonce: 'n' };
  const claims = () => ({
    iss: issuer,
    aud: clientId,
    sub: 'u1',
    nonce: 'n',
    exp: Date.now() / 1_000 + 60,
    iat: Date.now() / 1_000,
    at_hash: createHash('sha256').update('access').digest().subarray(0, 16).toString('base64url'),
  });
  const answerTokens = (idToken: object, more: object = {}) =>
    answers.set('/oauth/token', { access_token: 'access', token_type: 'Bearer', id_token: jwt(idToken), ...more });
  const redeem = () => protocol.redeem({ metadata: metadata(), clientId, redirectUri, login });

  it('redeems the code with its verifier and without a secret', async () => {
    answerTokens(claims());
    await expect(redeem()).resolves.toMatchObject({ access_token: 'access' });
    expect(Object.fromEntries(sent[0]?.body ?? [])).toEqual({
      grant_type: 'authorization_code',
      code: 'c',
      redirect_uri: redirectUri,
      client_id: clientId,
      code_verifier: 'v',
    });
  });

  it.each([
    ['another issuer', { iss: 'https://evil.example' }],
    ['another client', { aud: 'other' }],
    ['another login', { nonce: 'other' }],
    ['no login', { nonce: undefined }],
    ['long ago', { exp: 1 }],
    ['another access token', { at_hash: 'AAAAAAAAAAAAAAAAAAAAAA' }],
  ])('refuses an id token of %s', async (_, change) => {
    answerTokens({ ...claims(), ...change });
    await expect(redeem()).rejects.toThrow('not for this login');
  });

  it('refuses an answer without an id token, of another token type, or with an error', async () => {
    answers.set('/oauth/token', { access_token: 'access', token_type: 'Bearer' });
    await expect(redeem()).rejects.toThrow('no id token');
    answerTokens(claims(), { token_type: 'DPoP' });
    await expect(redeem()).rejects.toThrow('token type');
    answers.delete('/oauth/token');
    await expect(redeem()).rejects.toThrow('400 invalid_grant');
  });

  it('follows no redirect: not with a code, a token or the question who the issuer is', async () => {
    const about = { metadata: metadata(), clientId, tokens: { access_token: 'access', refresh_token: 'r1' } };
    for (const ask of [
      () => protocol.discover(issuer),
      redeem,
      () => protocol.refresh(about),
      () => protocol.userinfo(about),
      () => protocol.revoke(about),
    ]) {
      redirects = true;
      await expect(ask()).rejects.toThrow();
      redirects = false;
    }
    expect(sent).toHaveLength(5);
    expect(sent.map(({ path }) => path)).not.toContain('/elsewhere');
  });

  it('refreshes, asks who it is and revokes, and refuses what is of somebody else', async () => {
    const tokens = { access_token: 'access', refresh_token: 'r1', id_token: jwt(claims()) };
    const about = { metadata: metadata(), clientId, tokens };
    answerTokens(claims(), { refresh_token: 'r2' });
    await expect(protocol.refresh(about)).resolves.toMatchObject({ refresh_token: 'r2' });
    answerTokens({ ...claims(), sub: 'u2' });
    await expect(protocol.refresh(about)).rejects.toThrow('somebody else');
    answers.set('/oauth/userinfo', { sub: 'u1' });
    await expect(protocol.userinfo(about)).resolves.toEqual({ sub: 'u1' });
    expect(sent.at(-1)?.authorization).toBe('Bearer access');
    answers.set('/oauth/userinfo', { sub: 'u2' });
    await expect(protocol.userinfo(about)).rejects.toThrow('somebody else');
    answers.set('/oauth/revoke', {});
    await protocol.revoke(about);
    expect(Object.fromEntries(sent.at(-1)?.body ?? [])).toEqual({ token: 'r1', client_id: clientId });
  });
});
