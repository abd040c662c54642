import { generateKeyPairSync } from 'node:crypto';
import { type AuthorizationServer, createClientRegistry, type PageForm, renderPage } from 'doorward/oauth';
import { privateKey } from 'doorward/tokens';
import { describe, expect, it } from 'vitest';
import { createWorld, PASSWORD } from '../accounts/fixture.ts';
import { createServer } from './oauth-support.ts';

const ISSUER = 'https://login.example.org/tenant';
const CALLBACK = 'https://app.example.org/callback';
const ASKED = {
  ...{ response_type: 'code', client_id: 'spa', redirect_uri: CALLBACK, scope: 'openid', state: 's' },
  ...{ code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM', code_challenge_method: 'S256' },
};
const key = privateKey(generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey, { kid: 'k1' });

interface Open {
  readonly server: AuthorizationServer;
  /** The forms that were shown, the last one last. */
  readonly forms: PageForm[];
  send(
    url: string,
    options?: { body?: Record<string, string>; cookie?: string; headers?: HeadersInit },
  ): Promise<Response>;
}

/** The whole server, as a program composes it; `ada` has an account. */
async function open(): Promise<Open> {
  const { accounts, register, options } = createWorld();
  await register();
  const forms: PageForm[] = [];
  const server = createServer({
    issuer: ISSUER,
    accounts,
    clients: createClientRegistry([
      { client_id: 'spa', token_endpoint_auth_method: 'none', redirect_uris: [CALLBACK], scope: 'openid' },
      {
        ...{ client_id: 'native', token_endpoint_auth_method: 'none', application_type: 'native', scope: 'openid' },
        redirect_uris: ['http://127.0.0.1/cb', 'http://[::1]/cb', 'http://localhost/cb'],
      },
    ]),
    keys: { keys: [key], active: key },
    scopes: {},
    clock: options.clock ?? Date.now,
    page(view) {
      if (view.kind !== 'error') forms.push(view.form);
      return renderPage(view);
    },
  });
  return {
    server,
    forms,
    async send(url, { body, cookie = '', headers = {} } = {}) {
      const request = new Request(url, {
        method: body === undefined ? 'GET' : 'POST',
        headers: { cookie, ...Object.fromEntries(new Headers(headers)) },
        ...(body !== undefined && { body: new URLSearchParams(body) }),
      });
      return server.handler(request, { requestId: 'r1', ip: '192.0.2.1' });
    },
  };
}

const address = (asked: object = {}): string => `${ISSUER}/authorize?${new URLSearchParams({ ...ASKED, ...asked })}`;

const jarOf = (...answers: Response[]): string => {
  const cookies = new Map<string, string>();
  for (const line of answers.flatMap(({ headers }) => headers.getSetCookie())) {
    const [name = '', value = ''] = (line.split(';')[0] ?? '').split('=');
    cookies.set(name, value);
  }
  return [...cookies].map((pair) => pair.join('=')).join('; ');
};

describe('attacks on the authorization endpoint', () => {
  it('OAU-01 D12 never redirects to an address that is not registered', async () => {
    const { send } = await open();
    for (const redirect_uri of [
      ...['https://evil.example/', `${CALLBACK}/`, `${CALLBACK}#x`, `${CALLBACK}?x=1`, `${CALLBACK}@evil.example`],
      ...['javascript:alert(1)', '//evil.example', 'https://app.example.org.evil.example/callback'],
    ]) {
      const answer = await send(address({ redirect_uri }));
      expect([answer.status, answer.headers.get('location'), answer.headers.getSetCookie()]).toEqual([400, null, []]);
    }
  });

  it('OAU-04 lets native clients choose the port of a loopback address, and nothing else', async () => {
    const { send } = await open();
    const status = async (redirect_uri: string): Promise<number> =>
      (await send(address({ client_id: 'native', redirect_uri }))).status;
    expect(await status('http://127.0.0.1:51004/cb')).toBe(200);
    expect(await status('http://[::1]:51004/cb')).toBe(200);
    for (const other of ['http://localhost:51004/cb', 'http://127.0.0.2:51004/cb', 'http://127.0.0.1:51004/other']) {
      expect(await status(other)).toBe(400);
    }
  });

  it('OAU-28 OAU-29 OAU-30 gives a code only after a login and a consent of this browser, by 303', async () => {
    const { send, forms } = await open();
    const first = await send(address());
    const login = { ...forms.at(-1)?.hidden, username: 'ada', password: PASSWORD, action: 'login' };
    const jar = jarOf(first);
    const stolen = await send(address(), { body: login });
    expect([stolen.status, stolen.headers.get('location')]).toEqual([403, null]);
    const crossSite = await send(address(), { body: login, cookie: jar, headers: { 'sec-fetch-site': 'cross-site' } });
    expect([crossSite.status, crossSite.headers.getSetCookie()]).toEqual([403, []]);
    const second = await send(forms[0]?.action ?? '', { body: login, cookie: jar });
    expect([second.status, second.headers.get('x-frame-options')]).toEqual([200, 'DENY']);
    const consent = { ...forms.at(-1)?.hidden, action: 'allow' };
    const foreign = await send(address(), { body: consent, cookie: jar });
    expect([foreign.status, foreign.headers.get('location')]).toEqual([403, null]);
    const done = await send(address(), { body: consent, cookie: jarOf(first, second) });
    expect(done.status).toBe(303);
    expect(done.headers.get('referrer-policy')).toBe('no-referrer');
    const answer = new URL(done.headers.get('location') ?? '');
    expect(Object.fromEntries(answer.searchParams)).toEqual({ code: expect.any(String), state: 's', iss: ISSUER });
  });
});
