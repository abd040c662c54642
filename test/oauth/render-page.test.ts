import type { PageProblem, PageView } from 'doorward/oauth';
import { describe, expect, it } from 'vitest';
import { renderPage } from '../../src/oauth/pages/render-page.ts';

const NASTY = `"><img src=x onerror=alert(1)>'</style></title><script>alert(1)</script>`;
const form = { action: '/authorize?client_id=a&state=b', hidden: { csrf: 'c"1', step: 'login' } };
const views: Readonly<Record<PageView['kind'], PageView>> = {
  login: { kind: 'login', form, clientName: 'Notes', username: 'ada' },
  second_factor: { kind: 'second_factor', form, clientName: 'Notes' },
  consent: {
    kind: 'consent',
    form,
    clientName: 'Notes',
    clientUri: 'https://notes.example.org/about',
    username: 'ada',
    scopes: [{ name: 'create', description: 'Create posts in your name' }],
  },
  error: { kind: 'error', status: 400, message: 'The client is not known.' },
};
const documentOf = (view: PageView) => renderPage(view).html;
const kinds = Object.keys(views) as PageView['kind'][];

/** Every text of a view replaced, wherever it is. */
function nastyOf<T>(value: T): T {
  if (typeof value === 'string') return NASTY as T;
  if (Array.isArray(value)) return value.map(nastyOf) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, name === 'kind' ? inner : nastyOf(inner)]),
  ) as T;
}

describe.each(kinds)('the page %s', (kind) => {
  it('is one document with a language, a title, a main part and one heading', () => {
    const text = documentOf(views[kind]);
    expect(text).toMatch(/^<!doctype html>\n<html lang="en">/);
    expect(text.match(/<title>[^<]+<\/title>/g)).toHaveLength(1);
    expect(text.match(/<main>/g)).toHaveLength(1);
    expect(text.match(/<h1>/g)).toHaveLength(1);
  });

  it('escapes everything that it shows', () => {
    const text = documentOf(nastyOf(views[kind]));
    expect(text).toContain('&lt;img src=x onerror=alert(1)&gt;');
    expect(text).not.toContain('<img');
    expect(text).not.toContain('<script');
    expect(text.match(/<\/style>/g)).toHaveLength(1);
    expect(text.match(/<\/title>/g)).toHaveLength(1);
  });

  it('has no script, no handler, no style attribute and nothing from elsewhere', () => {
    const text = documentOf(views[kind]);
    expect(text).not.toMatch(/<(script|link|img|iframe|object|embed|base)\b/i);
    expect(text).not.toMatch(/\s(on\w+|style|src|href)=/i);
    expect(text).not.toMatch(/url\(|@import|javascript:/i);
  });
});

describe.each(['login', 'second_factor', 'consent'] as const)('the form of the page %s', (kind) => {
  it('posts to its action, with all hidden fields', () => {
    const text = documentOf(views[kind]);
    expect(text).toContain('<form method="post" action="/authorize?client_id=a&amp;state=b">');
    expect(text).toContain('<input type="hidden" name="csrf" value="c&quot;1">');
    expect(text).toContain('<input type="hidden" name="step" value="login">');
  });

  it('names the client', () => {
    expect(documentOf(views[kind])).toContain('<bdi>Notes</bdi>');
  });

  it.each<PageProblem>([
    'invalid_credentials',
    'invalid_second_factor',
    'unsupported_second_factor',
    'too_many_requests',
    'unavailable',
    'expired',
  ])('tells of the problem %s in an alert and in the title', (problem) => {
    const text = documentOf({ ...views[kind], problem } as PageView);
    expect(text).toMatch(/<p class="problem" role="alert" id="problem">[^<]+<\/p>/);
    expect(text).toContain('<title>Problem: ');
  });

  it('has no alert without a problem', () => {
    expect(documentOf(views[kind])).not.toMatch(/role="alert"|aria-invalid|Problem/);
  });
});

describe('the fields', () => {
  const inputs = (view: PageView) => documentOf(view).match(/<input id=[^>]*>/g) ?? [];
  const buttons = (view: PageView) => [...documentOf(view).matchAll(/name="action" value="(\w+)"/g)].map(([, v]) => v);

  it('of a login are known to password managers, and the first empty one has the focus', () => {
    const { login } = views;
    const [username, password] = inputs(login);
    expect(username).toMatch(/name="username" value="ada" autocomplete="username"/);
    expect(password).toMatch(/name="password" type="password" autocomplete="current-password"/);
    expect([username?.includes('autofocus'), password?.includes('autofocus')]).toEqual([false, true]);
    const empty = inputs({ ...login, username: '' } as PageView);
    expect(empty.map((input) => input.includes('autofocus'))).toEqual([true, false]);
  });

  it('that were wrong point at the alert', () => {
    const wrong = inputs({ ...views.login, problem: 'invalid_credentials' } as PageView);
    expect(wrong.every((input) => input.includes('aria-invalid="true" aria-describedby="problem"'))).toBe(true);
    const [otp] = inputs({ ...views.second_factor, problem: 'invalid_second_factor' } as PageView);
    expect(otp).toMatch(/aria-describedby="hint problem" aria-invalid="true"/);
  });

  it('of a second factor take codes of apps and recovery codes, which have letters', () => {
    const [otp] = inputs(views.second_factor);
    expect(otp).toMatch(/name="otp" autocomplete="one-time-code"/);
    expect(otp).not.toMatch(/numeric|pattern|maxlength/);
  });

  it('have their buttons in the order of use, so that Enter goes on', () => {
    expect(buttons(views.login)).toEqual(['login', 'cancel']);
    expect(buttons(views.second_factor)).toEqual(['verify', 'cancel']);
    expect(buttons(views.consent)).toEqual(['allow', 'deny', 'switch']);
  });
});

describe('the page of consent', () => {
  it('tells who asks, for whom, and for what, and focuses no button', () => {
    const text = documentOf(views.consent);
    expect(text).toContain('<bdi>ada</bdi>');
    expect(text).toContain('(notes.example.org)');
    expect(text).toContain('<li>Create posts in your name</li>');
    expect(text).not.toContain('autofocus');
  });

  it('never links to the address of the client', () => {
    const text = documentOf({ ...views.consent, clientUri: 'javascript:alert(1)' } as PageView);
    expect(text).not.toContain('javascript:');
  });

  it('has no empty list', () => {
    expect(documentOf({ ...views.consent, scopes: [] } as PageView)).not.toMatch(/<ul|able to/);
  });
});

it('names an error by its status', () => {
  const titleFor = (status: number) => /<h1>(.*)<\/h1>/.exec(documentOf({ ...views.error, status } as PageView))?.[1];
  expect([400, 403, 429, 500, 503].map(titleFor)).toEqual([
    'This request cannot be answered',
    'This request cannot be answered',
    'Too many requests',
    'Something went wrong',
    'Not available right now',
  ]);
});
