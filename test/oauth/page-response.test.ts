import { createHash } from 'node:crypto';
import type { Page } from 'doorward/oauth';
import { describe, expect, it } from 'vitest';
import { html } from '../../src/oauth/pages/html.ts';
import { pageResponse } from '../../src/oauth/pages/page-response.ts';
import { renderPage } from '../../src/oauth/pages/render-page.ts';

const page: Page = { html: '<!doctype html><title>Grüße</title>' };
const policyOf = (response: Response) => response.headers.get('content-security-policy');

describe('pageResponse', () => {
  it('denies caches, frames, sniffing and referrers', async () => {
    const response = pageResponse(page);
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toEqual({
      'content-type': 'text/html; charset=utf-8',
      'content-length': '37',
      'cache-control': 'no-store',
      pragma: 'no-cache',
      'content-security-policy': "default-src 'none'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
    });
    expect(await response.text()).toBe(page.html);
  });

  it('keeps its headers whatever it is given beside them, and cookies apart', () => {
    const headers = new Headers({ 'cache-control': 'public', 'content-security-policy': '*', 'retry-after': '7' });
    headers.append('set-cookie', 'a=1');
    headers.append('set-cookie', 'b=2');
    const response = pageResponse(page, { status: 429, headers });
    expect(response.status).toBe(429);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(policyOf(response)).toMatch(/^default-src 'none'/);
    expect(response.headers.get('retry-after')).toBe('7');
    expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
  });

  it('lets the named styles in by their digest alone', () => {
    const digest = createHash('sha256').update('b{}').digest('base64');
    expect(policyOf(pageResponse({ ...page, styles: ['a{}', 'b{}'] }))).toContain(` 'sha256-${digest}'; form-action`);
    expect(policyOf(pageResponse({ ...page, styles: ['b{}'] }))).not.toContain('unsafe');
  });

  it('lets the answer of a form redirect to the client', () => {
    const formTargets = ['https://app.example.org', 'http://127.0.0.1:5173', 'com.example.app:'];
    expect(policyOf(pageResponse(page, { formTargets }))).toContain(
      "form-action 'self' https://app.example.org http://127.0.0.1:5173 com.example.app:; base-uri",
    );
  });

  it.each([
    'https://a;script-src *',
    'https://a, default-src *',
    'https://*.example.org',
    'https://app.example.org/path',
    "'unsafe-inline'",
    'http://[::1]:5173',
    '*',
    '',
    'javascript:',
    'https://a\nx: y',
  ])('refuses the target %j', (target) => {
    const problem = expect.objectContaining({ code: 'CONFIG_INVALID', field: 'formTargets' });
    expect(() => pageResponse(page, { formTargets: [target] })).toThrow(problem);
  });

  it.each([
    ['nothing', undefined],
    ['a text', '<p>'],
    ['an empty document', { html: '' }],
    ['markup that is no text yet', { html: html`<p></p>` }],
    ['inherited html', Object.create(page)],
    ['a promise', Promise.resolve(page)],
    ['styles that are one text', { ...page, styles: 'a{}' }],
    ['styles that are no texts', { ...page, styles: [1] }],
  ])('refuses %s for a page', (_, value) => {
    const problem = expect.objectContaining({ code: 'CONFIG_INVALID', field: 'page' });
    expect(() => pageResponse(value as Page)).toThrow(problem);
  });

  it('lets the style of the built-in pages in', () => {
    const built = renderPage({ kind: 'error', status: 400, message: 'No' });
    const [, style = ''] = /<style>([\s\S]*)<\/style>/.exec(built.html) ?? [];
    const digest = createHash('sha256').update(style).digest('base64');
    expect(policyOf(pageResponse(built))).toContain(`style-src 'sha256-${digest}';`);
  });
});
