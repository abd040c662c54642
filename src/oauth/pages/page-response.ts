import { createHash } from 'node:crypto';
import { configInvalid } from '../../core/config-invalid.ts';
import { ownProperty } from '../../core/own-property.ts';
import { NO_STORE } from '../answers.ts';
import type { Page } from './page.ts';

/** How a page is sent. */
export interface PageResponseOptions {
  /** @default 200 */
  readonly status?: number;
  /** For example cookies; the headers below win. */
  readonly headers?: Headers | Readonly<Record<string, string>>;
  /**
   * The origins or schemes beside this server's to which the answer of a form may redirect, since browsers apply
   * `form-action` to redirects too.
   */
  readonly formTargets?: readonly string[];
}

/** What no page does without. */
const PROTECTION = {
  ...NO_STORE,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
} as const;

/** Hosts of addresses may have what would end a directive. IPv6 addresses have no name in a policy (CSP section 2.3.1). */
const ORIGIN = /^https?:\/\/[\w.-]+(?::\d{1,5})?$/i;
const SCHEME = /^(?!javascript:|data:|blob:|filesystem:)[a-z][a-z\d+.-]*:$/i;

/**
 * Sends a page of the authorization server: for no cache, no frame, no script, and with forms that go nowhere
 * else (RFC 9700 sections 4.2.4 and 4.16).
 *
 * @throws `CONFIG_INVALID` when what a page function made is no page, or a target is neither an origin nor a scheme.
 */
export function pageResponse(page: Page, options: PageResponseOptions = {}): Response {
  const { status = 200, formTargets = [] } = options;
  const { html, styles } = readPage(page);
  const bytes = Buffer.from(html);
  const headers = new Headers(options.headers);
  for (const [name, value] of Object.entries({
    ...PROTECTION,
    'content-type': 'text/html; charset=utf-8',
    'content-length': String(bytes.length),
    'content-security-policy': policyOf(styles, formTargets),
  })) {
    headers.set(name, value);
  }
  return new Response(bytes, { status, headers });
}

/** What is left to say when no page can be made. */
export function plainPage(status: number, message: string): Response {
  const policy = { 'content-security-policy': policyOf([], []) };
  return new Response(message, {
    status,
    headers: { ...PROTECTION, ...policy, 'content-type': 'text/plain; charset=utf-8' },
  });
}

function policyOf(styles: readonly string[], formTargets: readonly string[]): string {
  const hashes = styles.map((style) => `'sha256-${createHash('sha256').update(style).digest('base64')}'`);
  return [
    "default-src 'none'",
    ...(hashes.length === 0 ? [] : [`style-src ${hashes.join(' ')}`]),
    `form-action ${["'self'", ...formTargets.map(checked)].join(' ')}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

function checked(target: string): string {
  if (!ORIGIN.test(target) && !SCHEME.test(target)) throw configInvalid('formTargets', 'must be origins or schemes');
  return target;
}

/** A page function may be of plain JavaScript. */
function readPage(page: unknown): Required<Page> {
  const html = ownProperty(page, 'html');
  const styles = ownProperty(page, 'styles') ?? [];
  if (typeof html !== 'string' || html === '') {
    throw configInvalid('page', 'must make an object whose `html` is a text; of `html` make it with String()');
  }
  if (!Array.isArray(styles) || !styles.every((style) => typeof style === 'string')) {
    throw configInvalid('page', 'must make an object whose `styles` are texts');
  }
  return { html, styles };
}
