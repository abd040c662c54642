import type { RouteHandler, Routes } from '../../http/index.ts';

const ANY_ORIGIN = { 'access-control-allow-origin': '*' } as const;
const EXPOSED = 'www-authenticate, retry-after';
const ALLOWED_HEADERS = 'authorization, content-type, dpop';
/** What browsers remember at most. */
const MAX_AGE_SECONDS = 7_200;

/**
 * Opens routes to scripts of every origin, and answers their preflights. No cookie and no certificate comes along:
 * `*` is never combined with credentials, so a page gets what it has a token or a code for, and nothing else.
 */
export function withCors(routes: Routes): Routes {
  const methods = new Map<string, string[]>();
  const opened: Record<string, RouteHandler> = {};
  for (const [name, handler] of Object.entries(routes)) {
    const [method = '', path = ''] = name.split(' ', 2);
    methods.set(path, [...(methods.get(path) ?? []), method]);
    opened[name] = opening(handler);
  }
  for (const [path, allowed] of methods) opened[`OPTIONS ${path}`] = preflight(allowed.join(', '));
  return opened;
}

function opening(handler: RouteHandler): RouteHandler {
  return async (request, info, route) => {
    const { status, statusText, headers, body } = await handler(request, info, route);
    const opened = new Headers(headers);
    for (const [name, value] of Object.entries(ANY_ORIGIN)) opened.set(name, value);
    opened.set('access-control-expose-headers', EXPOSED);
    return new Response(body, { status, statusText, headers: opened });
  };
}

function preflight(methods: string): RouteHandler {
  const headers = {
    ...ANY_ORIGIN,
    'access-control-allow-methods': methods,
    'access-control-allow-headers': ALLOWED_HEADERS,
    'access-control-max-age': String(MAX_AGE_SECONDS),
  };
  return () => new Response(null, { status: 204, headers });
}
