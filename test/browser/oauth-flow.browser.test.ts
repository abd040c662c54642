import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBcryptHasher } from 'doorward/passwords';
import { generateSync } from 'otplib';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readConfig } from '../../examples/server/config.ts';
import { startServer } from '../../examples/server/server.ts';
import { bearer, DEMO_PASSWORD, SECRET } from '../contract/harness.ts';
import { freePort } from './free-port.ts';

let browser: Browser;
let server: Awaited<ReturnType<typeof startServer>>;
let client: ChildProcess;
let url: string;
let app: string;
let ahead = 0;
const now = (): number => Date.now() + ahead;

beforeAll(async () => {
  const port = await freePort();
  app = `http://127.0.0.1:${port}`;
  const folder = mkdtempSync(join(tmpdir(), 'doorward-'));
  const CLIENTS_FILE = join(folder, 'clients.json');
  const demo = {
    client_id: 'demo-spa',
    client_name: 'Demo single-page client',
    client_uri: app,
    token_endpoint_auth_method: 'none',
    redirect_uris: [`${app}/callback`],
    scope: 'openid profile email create',
  };
  writeFileSync(CLIENTS_FILE, JSON.stringify([demo]));
  const settings = { PORT: '0', DATA_DIR: ':memory:', SIGNING_SECRET: SECRET, DEMO_PASSWORD, LOG_LEVEL: 'silent' };
  const config = readConfig({ ...settings, CLIENTS_FILE });
  rmSync(folder, { recursive: true });
  server = await startServer(config, { clock: now, hasher: createBcryptHasher({ cost: 4 }) });
  url = server.url;
  client = spawn(process.execPath, ['examples/oauth-client/serve.mjs'], {
    env: { PATH: process.env.PATH ?? '', PORT: String(port), ISSUER: url, SCOPE: 'openid profile email' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (client.stdout !== null) await once(client.stdout, 'data');
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--no-first-run', '--no-proxy-server'],
  });
});
afterAll(async () => {
  await browser?.close();
  client?.kill();
  await server?.close();
});

let context: BrowserContext;
let page: Page;
const problems: string[] = [];
beforeEach(async () => {
  problems.length = 0;
  context = await browser.newContext();
  page = await context.newPage();
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (message) => {
    // A refused login is a 401 that the browser reports by itself.
    if (message.type() === 'error' && !/status of 4\d\d/.test(message.text())) problems.push(message.text());
  });
  await page.goto(app);
  await page.waitForSelector('#app[data-ready]');
});
afterEach(async () => {
  await context.close();
  expect(problems).toEqual([]);
});

const signIn = async (username: string, password: string) => {
  await page.fill('[name=username]', username);
  await page.fill('[name=password]', password);
  await page.click('button[value=login]');
};
const newcomer = async (username: string) => {
  const password = `a long passphrase of ${username}`;
  const post = (path: string, body: object, token?: string) =>
    fetch(url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...bearer(token) },
      body: JSON.stringify(body),
    }).then((response) => response.json() as Promise<Record<string, string>>);
  await post('/register', { username, password, email: `${username}@example.org` });
  const { access_token: token } = await post('/login', { username, password });
  return { username, password, token: token ?? '', post };
};

describe('a browser at /authorize', () => {
  it('wrong password, login, consent, back at the client with tokens; userinfo, refresh, sign-out', async () => {
    const { username, password } = await newcomer('grace');
    await page.click('#sign-in');
    await page.waitForURL(`${url}/authorize?**`);
    expect(await page.textContent('main')).toContain('Demo single-page client');
    await signIn(username, 'not the password');
    await page.waitForSelector('[role=alert]');
    expect(await page.inputValue('[name=username]')).toBe(username);
    await signIn(username, password);
    await page.waitForSelector('button[value=allow]');
    expect(await page.textContent('main')).toContain(username);
    await page.click('button[value=allow]');
    await page.waitForURL(`${app}/`);
    await page.waitForSelector('#signed-in:not([hidden])');
    const claims = JSON.parse((await page.textContent('#access-token')) ?? '');
    expect(claims).toMatchObject({ iss: url, aud: url, sub: username, client_id: 'demo-spa', acr: 'aal1' });
    await page.click('#fetch-userinfo');
    await page.waitForSelector('#userinfo:has-text("@example.org")');
    await page.click('#refresh');
    await page.waitForSelector('#status:has-text("new tokens")');
    expect(JSON.parse((await page.textContent('#access-token')) ?? '').jti).not.toBe(claims.jti);
    await page.click('#sign-out');
    await page.waitForSelector('#signed-out:not([hidden])');
    // The login at the server and the consent are remembered: no page is shown the second time.
    await page.click('#sign-in');
    await page.waitForSelector('#signed-in:not([hidden])');
    for (const cookie of await context.cookies(url)) {
      expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Lax', path: '/' });
    }
  });

  it('second factor: a wrong code, then the right one', async () => {
    const { username, password, token, post } = await newcomer('rosalind');
    const { secret = '' } = await post('/account/totp', {}, token);
    const code = () => generateSync({ secret, epoch: Math.floor(now() / 1_000) });
    await post('/account/totp/confirm', { otp: code() }, token);
    ahead += 30_000;
    await page.click('#sign-in');
    await page.waitForURL(`${url}/authorize?**`);
    await signIn(username, password);
    await page.waitForSelector('[name=otp]');
    await page.fill('[name=otp]', '000000');
    await page.click('button[value=verify]');
    await page.waitForSelector('[role=alert]');
    await page.fill('[name=otp]', code());
    await page.click('button[value=verify]');
    await page.click('button[value=allow]');
    await page.waitForSelector('#signed-in:not([hidden])');
    const claims = JSON.parse((await page.textContent('#id-token')) ?? '');
    expect(claims).toMatchObject({ sub: username, acr: 'aal2' });
    expect(claims.amr).toEqual(expect.arrayContaining(['pwd', 'otp']));
  });

  it('a refusal comes back to the client as such', async () => {
    const { username, password } = await newcomer('mary');
    await page.click('#sign-in');
    await page.waitForURL(`${url}/authorize?**`);
    await signIn(username, password);
    await page.click('button[value=deny]');
    await page.waitForSelector('#status:has-text("access_denied")');
    expect(await page.isHidden('#signed-in')).toBe(true);
  });

  it('cancelling the login is a refusal too, and another account can be chosen', async () => {
    const { username, password } = await newcomer('ada');
    await page.click('#sign-in');
    await page.waitForURL(`${url}/authorize?**`);
    await page.click('button[value=cancel]');
    await page.waitForSelector('#status:has-text("access_denied")');
    await page.click('#sign-in');
    await page.waitForURL(`${url}/authorize?**`);
    await signIn('viewer', DEMO_PASSWORD);
    await page.click('button[value=switch]');
    await signIn(username, password);
    await page.click('button[value=allow]');
    await page.waitForSelector('#signed-in:not([hidden])');
    expect(JSON.parse((await page.textContent('#id-token')) ?? '').sub).toBe(username);
  });

  it('what was allowed is shown to the owner of the account, and can be taken back', async () => {
    const { username, password } = await newcomer('emmy');
    await page.click('#sign-in');
    await page.waitForURL(`${url}/authorize?**`);
    await signIn(username, password);
    await page.click('button[value=allow]');
    await page.waitForSelector('#signed-in:not([hidden])');
    const account = await context.newPage();
    await account.goto(`${url}/account`);
    await account.fill('#sign-in [name=username]', username);
    await account.fill('#sign-in [name=password]', password);
    await account.click('#sign-in button:has-text("Sign in"):not([type=button])');
    await account.waitForSelector('#consents li:has-text("Demo single-page client")');
    await account.click('#consents button');
    await account.waitForSelector('#applications', { state: 'hidden' });
    await page.click('#refresh');
    await page.waitForSelector('#status:has-text("invalid_grant")');
  });

  it('an address that is not registered is a page, and no redirect', async () => {
    await page.goto(`${url}/authorize?client_id=demo-spa&response_type=code&redirect_uri=https://evil.example.org/`);
    expect(page.url()).toContain(`${url}/authorize`);
    expect(await page.textContent('main')).not.toContain('evil.example.org');
  });
});
