import { createBcryptHasher } from 'doorward/passwords';
import { generateSync } from 'otplib';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { readConfig } from '../../examples/server/config.ts';
import { startServer } from '../../examples/server/server.ts';
import { DEMO_PASSWORD, SECRET } from '../contract/harness.ts';
import { freePort } from './free-port.ts';

let browser: Browser;
let server: Awaited<ReturnType<typeof startServer>>;
let url: string;
let ahead = 0;
const now = (): number => Date.now() + ahead;

beforeAll(async () => {
  // Passkeys are bound to a host name and its port, and browsers refuse them on addresses.
  const port = await freePort();
  url = `http://localhost:${port}`;
  const config = readConfig({
    PORT: String(port),
    BASE_URL: url,
    DATA_DIR: ':memory:',
    SIGNING_SECRET: SECRET,
    DEMO_PASSWORD,
    LOG_LEVEL: 'silent',
  });
  server = await startServer(config, { clock: now, hasher: createBcryptHasher({ cost: 4 }) });
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--no-first-run',
      '--no-proxy-server',
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1',
    ],
  });
});

afterAll(async () => {
  await browser?.close();
  await server?.close();
});

let page: Page;
const problems: string[] = [];

beforeEach(async () => {
  const context = await browser.newContext();
  page = await context.newPage();
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (message) => {
    // A refused login is a 401 that the browser reports by itself.
    if (message.type() === 'error' && !/status of 4\d\d/.test(message.text())) problems.push(message.text());
  });
  await page.goto(`${url}/account`);
});

/** A code of the next step, so that no code is asked for twice: each step counts once. */
function nextCode(secret: string): string {
  ahead += 30_000;
  return generateSync({ secret, epoch: Math.floor(now() / 1_000) });
}

async function signIn(username: string, password = DEMO_PASSWORD): Promise<void> {
  await page.fill('#sign-in [name=username]', username);
  await page.fill('#sign-in [name=password]', password);
  await page.click('#sign-in button:has-text("Sign in"):not([type=button])');
}

const status = () => page.locator('#status');
const how = () => page.locator('#how');

it('refuses a wrong password with one sentence', async () => {
  await signIn('viewer', 'not the password');
  await expect.poll(() => status().textContent()).toBe('Invalid credentials');
  expect(await page.isVisible('#account')).toBe(false);
});

it('enrols an authenticator app, and asks for its code at the next login', async () => {
  await signIn('viewer');
  await expect.poll(() => how().textContent()).toBe('pwd (aal1)');
  await page.click('#totp-start');
  await page.waitForSelector('#totp-qr svg');
  const secret = (await page.textContent('#totp-secret')) ?? '';
  await page.fill('#totp-confirm [name=otp]', '000000');
  await page.click('#totp-confirm button');
  await expect.poll(() => status().textContent()).toContain('otp');
  await page.fill('#totp-confirm [name=otp]', nextCode(secret));
  await page.click('#totp-confirm button');
  await page.waitForSelector('#recovery-codes li');
  expect(await page.locator('#recovery-codes li').count()).toBe(10);
  const recovery = (await page.locator('#recovery-codes li').first().textContent())?.trim() ?? '';

  await page.click('#sign-out');
  await page.waitForSelector('#sign-in:not([hidden])');
  await signIn('viewer');
  await expect.poll(() => status().textContent()).toBe('Second factor required');
  await page.fill('#sign-in [name=otp]', nextCode(secret));
  await page.click('#sign-in button:has-text("Sign in"):not([type=button])');
  await expect.poll(() => how().textContent()).toBe('pwd + otp (aal2)');
  expect(await page.textContent('#totp-state')).toContain('10 recovery codes left');

  await page.click('#sign-out');
  await page.waitForSelector('#sign-in:not([hidden])');
  await signIn('viewer');
  await page.waitForSelector('#otp-field:not([hidden])');
  await page.fill('#sign-in [name=otp]', recovery);
  await page.click('#sign-in button:has-text("Sign in"):not([type=button])');
  await expect.poll(() => how().textContent()).toBe('pwd + otp (aal2)');
  expect(await page.textContent('#totp-state')).toContain('9 recovery codes left');
});

it('enrols a passkey, and signs in with it alone and as a second factor', async () => {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('WebAuthn.enable');
  await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
    },
  });
  await signIn('editor');
  await expect.poll(() => how().textContent()).toBe('pwd (aal1)');
  await page.click('#passkey-add');
  await page.waitForSelector('#passkeys li');

  await page.click('#sign-out');
  await page.waitForSelector('#sign-in:not([hidden])');
  await page.click('#passkey-sign-in');
  await expect.poll(() => how().textContent()).toMatch(/^(hwk|swk) \+ user \+ mfa \(aal2\)$/);
  expect(await page.textContent('#who')).toBe('editor');

  await page.click('#sign-out');
  await page.waitForSelector('#sign-in:not([hidden])');
  await signIn('editor');
  await page.waitForSelector('#second-passkey:not([hidden])');
  await page.click('#second-passkey');
  await expect.poll(() => how().textContent()).toMatch(/^pwd \+ (hwk|swk) \+ user( \+ mfa)? \(aal2\)$/);

  await page.click('#passkeys button');
  await expect.poll(() => page.locator('#passkeys li').count()).toBe(0);
});

it('ends the other sessions', async () => {
  const other = await fetch(`${url}/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'moderator', password: DEMO_PASSWORD }),
  });
  const { access_token: token } = (await other.json()) as { access_token: string };
  const asOther = () => fetch(`${url}/me`, { headers: { authorization: `Bearer ${token}` } });
  expect((await asOther()).status).toBe(200);
  await signIn('moderator');
  await expect.poll(() => page.locator('#sessions li').count()).toBe(2);
  await page.click('#end-others');
  await expect.poll(() => page.locator('#sessions li').count()).toBe(1);
  expect((await asOther()).status).toBe(401);
});

it('runs without an error in the console', () => {
  expect(problems).toEqual([]);
});
