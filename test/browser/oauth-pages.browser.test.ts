import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import type { PageView } from 'doorward/oauth';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { html } from '../../src/oauth/pages/html.ts';
import { pageResponse } from '../../src/oauth/pages/page-response.ts';
import { renderPage } from '../../src/oauth/pages/render-page.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const IMAGES = 'docs/images';

const form = { action: '/authorize', hidden: { csrf: 'of-the-form', step: 'login' } };
const views: Readonly<Record<string, PageView>> = {
  login: { kind: 'login', form, clientName: 'Field notes', username: '' },
  'login-problem': { kind: 'login', form, clientName: 'Field notes', username: 'ada', problem: 'invalid_credentials' },
  'second-factor': { kind: 'second_factor', form, clientName: 'Field notes' },
  'second-factor-problem': { kind: 'second_factor', form, clientName: 'Field notes', problem: 'invalid_second_factor' },
  consent: {
    kind: 'consent',
    form,
    clientName: 'Field notes',
    clientUri: 'https://notes.example.org',
    username: 'ada',
    scopes: [
      { name: 'openid', description: 'Know who you are' },
      { name: 'create', description: 'Create posts in your name' },
    ],
  },
  'consent-long': {
    kind: 'consent',
    form,
    clientName: 'AnApplicationWhoseNameHasNoSpaceAndIsLongerThanAPhone'.repeat(2),
    username: 'someone+with-a-very-long-username@example.org',
    scopes: [{ name: 'x', description: 'https://api.example.org/a/scope/that/is/one/word/'.repeat(3) }],
    problem: 'expired',
  },
  error: {
    kind: 'error',
    status: 400,
    message: 'The application is not known here, or its address is not registered.',
  },
};
const PICTURES = ['login', 'second-factor', 'consent', 'error'];

let server: Server;
let browser: Browser;
let url: string;
const posted: string[] = [];
const problems: string[] = [];

beforeAll(async () => {
  server = createServer(async (request, response) => {
    const name = (request.url ?? '').slice(1);
    if (request.method === 'POST') {
      for await (const chunk of request) posted.push(String(chunk));
      response.writeHead(204).end();
      return;
    }
    const view = views[name];
    const page =
      view === undefined
        ? { html: String(html`<!doctype html><title>Foreign style</title><style>${'body { color: red }'}</style>`) }
        : renderPage(view);
    const answer = pageResponse(page);
    response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text());
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--no-first-run', '--no-proxy-server'],
  });
});

afterAll(async () => {
  await browser?.close();
  await new Promise((resolve) => server.close(resolve));
});

afterEach(async () => {
  await Promise.all(browser.contexts().map((context) => context.close()));
  posted.length = 0;
  problems.length = 0;
});

async function open(name: string, options: BrowserContextOptions = {}): Promise<Page> {
  const page = await (await browser.newContext({ viewport: { width: 800, height: 600 }, ...options })).newPage();
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (message) => {
    // A browser asks for an icon by itself.
    if (message.type() === 'error' && !message.location().url.endsWith('/favicon.ico')) problems.push(message.text());
  });
  await page.goto(new URL(name, `${url}/`).href);
  return page;
}

/** The policy would keep the checker out, which is the point of it; here it is let in by the browser. */
async function violations(page: Page): Promise<readonly string[]> {
  await page.evaluate(AXE);
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      axe: { run(): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> };
    };
    return (await axe.run()).violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' ')}`);
  });
}

const looks: Readonly<Record<string, BrowserContextOptions>> = {
  light: { colorScheme: 'light' },
  dark: { colorScheme: 'dark' },
  'at 320 pixels': { viewport: { width: 320, height: 568 } },
  // What 200 % of zoom leaves of a window of 800 pixels.
  'at twice the size': { viewport: { width: 400, height: 300 }, deviceScaleFactor: 2 },
};

describe.each(Object.keys(views))('the page %s', (name) => {
  it.each(Object.keys(looks))('is accessible %s, and never wider than the window', async (look) => {
    const page = await open(name, { bypassCSP: true, ...looks[look] });
    expect(await violations(page)).toEqual([]);
    const { scrollWidth, clientWidth } = await page.evaluate(() => {
      const { documentElement } = (
        globalThis as unknown as { document: { documentElement: { scrollWidth: number; clientWidth: number } } }
      ).document;
      return { scrollWidth: documentElement.scrollWidth, clientWidth: documentElement.clientWidth };
    });
    expect(scrollWidth).toBeLessThanOrEqual(clientWidth);
  });

  it('is shown with its style and without an error under its own policy', async () => {
    const page = await open(name);
    expect(await page.locator('main').evaluate((main) => getComputedStyle(main).maxWidth)).toBe('416px');
    expect(problems).toEqual([]);
  });
});

it('has no style that is not named', async () => {
  await open('foreign');
  expect(problems.join()).toMatch(/style-src|Content Security Policy/);
});

describe('with the keyboard alone', () => {
  it('a person signs in', async () => {
    const page = await open('login');
    await page.locator('[name=username]:focus').waitFor();
    await page.keyboard.type('ada');
    await page.keyboard.press('Tab');
    await page.keyboard.type('a passphrase');
    await page.keyboard.press('Enter');
    await expect
      .poll(() => posted)
      .toEqual(['csrf=of-the-form&step=login&username=ada&password=a+passphrase&action=login']);
  });

  it('a person cancels with the fields empty', async () => {
    const page = await open('login');
    await page.locator('[name=username]:focus').waitFor();
    for (let presses = 0; presses < 3; presses += 1) await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await expect.poll(() => posted).toEqual(['csrf=of-the-form&step=login&username=&password=&action=cancel']);
  });

  it('a person types a code', async () => {
    const page = await open('second-factor');
    await page.locator('[name=otp]:focus').waitFor();
    await page.keyboard.type('123456');
    await page.keyboard.press('Enter');
    await expect.poll(() => posted).toEqual(['csrf=of-the-form&step=login&otp=123456&action=verify']);
  });

  it('a person reaches allow, deny and the other account in this order, each with a visible focus', async () => {
    const page = await open('consent');
    await page.keyboard.press('Enter');
    expect(posted).toEqual([]);
    const seen: string[] = [];
    for (let presses = 0; presses < 3; presses += 1) {
      await page.keyboard.press('Tab');
      seen.push(
        await page
          .locator(':focus-visible')
          .evaluate((button) => `${button.textContent} ${getComputedStyle(button).outlineStyle}`),
      );
    }
    expect(seen).toEqual(['Allow solid', 'Deny solid', 'Use another account solid']);
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Enter');
    await expect.poll(() => posted).toEqual(['csrf=of-the-form&step=login&action=deny']);
  });
});

describe('the demo application', () => {
  it.each(['light', 'dark'] as const)(
    'is accessible in %s, and tells when its issuer does not answer',
    async (colorScheme) => {
      const env = { ...process.env, PORT: '0', ISSUER: 'http://127.0.0.1:1' };
      const child = spawn(process.execPath, ['examples/oauth-client/serve.mjs'], {
        env,
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      try {
        const [line] = (await once(child.stdout, 'data')) as [Buffer];
        const address = /http:\S+:\d+/.exec(line.toString())?.[0] ?? '';
        const strict = await open(address);
        await strict.waitForSelector('#app[data-ready]');
        expect(problems).toEqual([]);
        const page = await open(address, { bypassCSP: true, colorScheme });
        await page.waitForSelector('#app[data-ready]');
        expect(await violations(page)).toEqual([]);
        await page.click('#sign-in');
        await expect.poll(() => page.textContent('#status')).toContain('Failed to fetch');
        expect(await page.isEnabled('#sign-in')).toBe(true);
        await page.locator('#signed-in').evaluate((section) => section.removeAttribute('hidden'));
        expect(await violations(page)).toEqual([]);
      } finally {
        child.kill();
      }
    },
  );
});

describe('the pictures of the documentation', () => {
  it.each(PICTURES)('show the page %s', async (name) => {
    const path = `${IMAGES}/oauth-${name}.png`;
    const page = await open(name, { colorScheme: 'light' });
    if (process.env.UPDATE_SCREENSHOTS !== undefined) {
      mkdirSync(IMAGES, { recursive: true });
      writeFileSync(path, await page.screenshot());
    }
    expect(existsSync(path)).toBe(true);
  });
});
