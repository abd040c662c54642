import type { IncomingMessage } from 'node:http';

const MAX_HEADER_LINES = 200;
const AT_MOST_ONCE = new Set(['authorization', 'content-type', 'host']);
const HOST = /^[\w.~:[\]-]+$/;

/** Why a request is refused before anybody reads it. */
export interface RawProblem {
  readonly status: 400 | 431;
  readonly message: string;
}

/**
 * Looks at what Node hides: it drops a second `Authorization` header and every line after the thousandth
 * without a word, so that a header which a proxy added may be gone.
 *
 * @returns `undefined` when the headers are fine.
 */
export function headerProblem({ rawHeaders }: IncomingMessage): RawProblem | undefined {
  if (rawHeaders.length / 2 > MAX_HEADER_LINES) return { status: 431, message: 'Too many headers' };
  const seen = new Set<string>();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]?.toLowerCase() ?? '';
    if (seen.has(name)) return { status: 400, message: 'Repeated header' };
    if (AT_MOST_ONCE.has(name)) seen.add(name);
  }
  return undefined;
}

/**
 * Makes the URL of a request. The path must already be what the URL parser makes of it, so that no proxy
 * on the way has seen another path than the router does: `//x`, `/a/../b`, `/a\b` and absolute URLs are not.
 *
 * @returns `undefined` when the request target or the host cannot be used as it is.
 */
export function urlOf({
  url = '',
  headers,
  socket,
}: Pick<IncomingMessage, 'url' | 'headers' | 'socket'>): URL | undefined {
  const { host = 'localhost' } = headers;
  const text = `${'encrypted' in socket ? 'https' : 'http'}://${host}${url}`;
  if (!/^\/(?!\/)/.test(url) || !HOST.test(host) || !URL.canParse(text)) return undefined;
  const parsed = new URL(text);
  return parsed.pathname === url.split('?', 1)[0] ? parsed : undefined;
}
