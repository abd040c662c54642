import { DoorwardError } from '../core/index.ts';
import type { ErrorListener, Handler } from './handler.ts';
import { errorResponse, json } from './responses.ts';
import type { Params, Routes } from './route.ts';
import { compileRoutes, type Endpoint, findRoute } from './route-tree.ts';

export interface RouterOptions {
  /** Gets what a handler threw when the answer is 500 or above. */
  readonly onError?: ErrorListener;
}

/** The longest id that there is: a WebAuthn credential's, 1,023 bytes in base64url. */
const MAX_PARAMETER_LENGTH = 1_364;

/**
 * Makes one handler of many. A literal segment beats a parameter. An unknown path is 404, a method that
 * the path does not have 405 with `Allow`; `HEAD` is answered by `GET` without its body. What a handler
 * throws becomes an answer through {@link errorResponse}.
 *
 * @throws `CONFIG_INVALID` when a route is malformed or defined twice.
 * @example
 * const handler = createRouter({ 'GET /health': () => json(200, { status: 'ok' }) });
 */
export function createRouter(routes: Routes, { onError }: RouterOptions = {}): Handler {
  const tree = compileRoutes(routes);

  return async (request, info) => {
    try {
      const segments = new URL(request.url).pathname.slice(1).split('/');
      const found = findRoute(tree, segments);
      if (found === undefined) throw new DoorwardError('HTTP_NOT_FOUND');
      const endpoint = found.methods.get(request.method === 'HEAD' ? 'GET' : request.method);
      if (endpoint === undefined) return methodNotAllowed(found.methods.keys());
      const response = await endpoint.handler(request, info, {
        name: endpoint.name,
        params: readParams(endpoint, segments),
      });
      return request.method === 'HEAD' ? withoutBody(response) : response;
    } catch (error) {
      return errorResponse(error, { onError: (cause) => onError?.(cause, info) });
    }
  };
}

function methodNotAllowed(methods: Iterable<string>): Response {
  const { message } = new DoorwardError('HTTP_METHOD_NOT_ALLOWED');
  return json(405, { error: message }, { allow: [...methods].sort().join(', ') });
}

function withoutBody({ status, statusText, headers }: Response): Response {
  return new Response(null, { status, statusText, headers });
}

function readParams({ parameters }: Endpoint, segments: readonly string[]): Params {
  const params: Record<string, string> = Object.create(null);
  for (const { name, index } of parameters) params[name] = decode(segments[index] ?? '');
  return params;
}

/** Decodes once. No id holds a separator or a control character; dot segments are gone with the parsing of the URL. */
function decode(segment: string): string {
  const value = unescaped(segment);
  if (value.length > MAX_PARAMETER_LENGTH || /[/\\\p{Cc}]/u.test(value)) {
    throw new DoorwardError('HTTP_NOT_FOUND');
  }
  return value;
}

function unescaped(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch (cause) {
    throw new DoorwardError('INPUT_INVALID', { field: 'path', problem: 'is not valid percent-encoded UTF-8', cause });
  }
}
