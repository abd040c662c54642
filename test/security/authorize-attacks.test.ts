import { generateKeyPairSync } from 'node:crypto';
import { createClientRegistry, html, type PageForm, type PageView, type RenderPage, renderPage } from 'doorward/oauth';
import { createTokenIssuer, privateKey } from 'doorward/tokens';
import { describe, expect, it } from 'vitest';
import { createWorld, PASSWORD, START } from '../accounts/fixture.ts';
import { createServer } from './oauth-support.ts';

const ISSUER = 'https://login.example.org';
const CALLBACK = 'https://app.example.org/callback';
const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
const ASKED = {
  ...{ response_type: 'code', client_id: 'app', redirect_uri: CALLBACK, scope: 'openid', state: 's' },
  ...{ code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM', code_challenge_method: 'S256' },
};
const newKey = () => privateKey(generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey, { kid: 'k1' });
const key = newKey();

type Fields = Readonly<Record<string, string>>;

/** The whole server over real accounts, of which ada and eve have one, and one browser that talks to it. */
async function open({ page = renderPage }: { page?: RenderPage } = {}) {
  const { accounts, register, time } = createWorld();
  const ada = await register('ada');
  const eve = await register('eve');
  const views: PageView[] = [];
  const errors: unknown[] = [];
  const clock = () => time.now;
  const mine = { token_endpoint_auth_method: 'none', consent: 'implied', redirect_uris: [CALLBACK] } as const;
  const server = createServer({
    issuer: ISSUER,
    accounts,
    clients: createClientRegistry([
      { ...mine, client_id: 'app', scope: 'openid' },
      { ...mine, client_id: 'other', scope: 'openid' },
    ]),
    keys: { keys: [key], active: key },
    scopes: {},
    clock,
    onError: (error) => errors.push(error),
    page(view) {
      views.push(view);
      return page(view);
    },
  });
  const jar = new Map<string, string>();

  async function send(url: string, form?: Fields): Promise<Response> {
    const headers = { cookie: [...jar].map((pair) => pair.join('=')).join('; ') };
    const init = form === undefined ? {} : { method: 'POST', body: new URLSearchParams(form) };
    const answer = await server.handler(new Request(url, { headers, ...init }), { requestId: 'r1', ip: '192.0.2.1' });
    for (const line of answer.headers.getSetCookie()) {
      const [name = '', value = ''] = (line.split(';')[0] ?? '').split('=');
      jar.set(name, value);
    }
    return answer;
  }

  const authorize = (asked: Fields = {}) => send(`${ISSUER}/authorize?${new URLSearchParams({ ...ASKED, ...asked })}`);
  const lastForm = (): PageForm => {
    const view = views.at(-1);
    if (view === undefined || view.kind === 'error') throw new Error('no form was shown');
    return view.form;
  };
  const logIn = (username: string, form = lastForm()) =>
    send(form.action, { ...form.hidden, username, password: PASSWORD, action: 'login' });
  const idTokenOf = async (redirected: Response, client_id = 'app'): Promise<string> => {
    const code = told(redirected).code ?? '';
    const fields = { grant_type: 'authorization_code', code, client_id, redirect_uri: CALLBACK };
    const answer = await send(`${ISSUER}/oauth/token`, { ...fields, code_verifier: VERIFIER });
    return (await answer.json()).id_token;
  };
  return { ada, eve, time, clock, views, errors, authorize, lastForm, logIn, idTokenOf };
}

/** What a redirect tells the client. */
function told({ headers }: Response): Record<string, string> {
  const location = headers.get('location');
  return location === null ? {} : Object.fromEntries(new URL(location).searchParams);
}

describe('id_token_hint (OpenID Connect Core section 3.1.2.1)', () => {
  it('gives no code, silently or after a login, for an account other than the one that the client means', async () => {
    const { authorize, logIn, idTokenOf, views } = await open();
    await authorize();
    const id_token_hint = await idTokenOf(await logIn('ada'));
    await authorize({ prompt: 'login' });
    await logIn('eve');
    expect(told(await authorize({ prompt: 'none' }))).toHaveProperty('code');
    expect(told(await authorize({ prompt: 'none', id_token_hint }))).toMatchObject({ error: 'login_required' });
    const page = await authorize({ id_token_hint });
    expect([page.status, views.at(-1)?.kind]).toEqual([200, 'login']);
    expect(told(await logIn('eve'))).toMatchObject({ error: 'login_required', state: 's', iss: ISSUER });
    await authorize({ id_token_hint });
    expect(told(await logIn('ada'))).toHaveProperty('code');
    expect(told(await authorize({ prompt: 'none', id_token_hint }))).toHaveProperty('code');
  });

  it('may have expired: it says who is meant, and proves nothing', async () => {
    const { authorize, logIn, idTokenOf, time } = await open();
    await authorize();
    const id_token_hint = await idTokenOf(await logIn('ada'));
    time.now += 4 * 3_600_000;
    await authorize({ prompt: 'login', id_token_hint });
    expect(told(await logIn('ada'))).toHaveProperty('code');
    expect(told(await authorize({ prompt: 'none', id_token_hint }))).toHaveProperty('code');
  });

  it('is refused when it is not an ID Token of this server for this client, rather than left unchecked', async () => {
    const { authorize, logIn, idTokenOf, ada, clock } = await open();
    await authorize();
    const good = await idTokenOf(await logIn('ada'));
    const ofOther = await idTokenOf(await authorize({ client_id: 'other' }), 'other');
    const sign = (options: object) =>
      createTokenIssuer({ key, issuer: ISSUER, audience: 'app', clock, ...options }).issue({ sub: ada.id });
    const [header, , signature] = good.split('.');
    expect(told(await authorize({ prompt: 'none', id_token_hint: sign({}) }))).toHaveProperty('code');
    for (const id_token_hint of [
      ...['x', 'a.b.c', `${good}x`, `${header}.e30.${signature}`, `${header}.${btoa('{"iat":"1"}')}.${signature}`],
      ...[ofOther, sign({ key: newKey() }), sign({ issuer: 'https://evil.example' }), sign({ typ: 'at+jwt' })],
    ]) {
      const answer = told(await authorize({ prompt: 'none', id_token_hint }));
      expect(answer).toMatchObject({ error: 'invalid_request', state: 's' });
      expect(answer).not.toHaveProperty('code');
    }
  });
});

describe('a clock that was ahead and is set right', () => {
  it('CLK makes no form good for longer than 10 minutes', async () => {
    const { authorize, logIn, time } = await open();
    time.now = START + 86_400_000;
    await authorize();
    time.now = START;
    expect((await logIn('ada')).status).toBe(403);
  });

  it('CLK makes no login recent that was in the future', async () => {
    const { authorize, logIn, time } = await open();
    time.now = START + 3_600_000;
    await authorize();
    await logIn('ada');
    time.now = START;
    expect(told(await authorize({ prompt: 'none' }))).toHaveProperty('code');
    expect(told(await authorize({ prompt: 'none', max_age: '60' }))).toMatchObject({ error: 'login_required' });
  });
});

describe('a page function that fails', () => {
  it('OAU-28 leaves a plain text that nothing sniffs, frames, keeps or loads from, without its cause', async () => {
    const { authorize, errors } = await open({
      page() {
        throw new Error('the secret cause');
      },
    });
    const answer = await authorize({ client_id: 'unknown' });
    const { status, headers } = answer;
    expect([status, headers.get('content-type')]).toEqual([400, 'text/plain; charset=utf-8']);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; .*frame-ancestors 'none'$/);
    expect(await answer.text()).toBe('The application that sent you here is not registered.');
    expect(errors).toHaveLength(1);
    expect(told(await authorize())).toMatchObject({ error: 'server_error', state: 's', iss: ISSUER });
  });
});

describe('html', () => {
  const refused = expect.objectContaining({ code: 'CONFIG_INVALID', field: 'html' });
  const value = '\\";alert(1)//';

  it('puts nothing into a script, whatever stands before it in the script or in its tag', () => {
    expect(() => html`<script>if (1 < 2) go("${value}")</script>`).toThrow(refused);
    expect(() => html`<script>if (a<b) name = "${value}"</script>`).toThrow(refused);
    expect(() => html`<script src="${'/x.js'}">go("${value}")</script>`).toThrow(refused);
    expect(() => html`<SCRIPT type='${'module'}'>${value}</SCRIPT>`).toThrow(refused);
    expect(() => html`<script>`).toThrow(refused);
    expect(String(html`<script>go(1 < 2)</script><p>${'<'}</p>`)).toContain('<p>&lt;</p>');
  });

  it('puts nothing into an attribute that is a script or a document', () => {
    expect(() => html`<p onclick="go('${value}')">`).toThrow(refused);
    expect(() => html`<p ONCLICK = 'go("${value}")'>`).toThrow(refused);
    expect(() => html`<iframe srcdoc="${'<script>'}"></iframe>`).toThrow(refused);
    expect(String(html`<p title="on=${'x'}" data-on="${'y'}">`)).toBe('<p title="on=x" data-on="y">');
  });

  it('leaves a style as it is behind an attribute with a value, and escapes nothing half', () => {
    expect(String(html`<style media="${'print'}">${'a > b {}'}</style>`)).toBe('<style media="print">a > b {}</style>');
    expect(() => html`<style media="${'print'}">a{} ${'b{}'}</style>`).toThrow(refused);
  });
});
