import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type ErrorListener, errorResponse, type Handler, json, type RequestInfo } from '../../http/index.ts';
import { createClientAddress } from './client-address.ts';
import { clientCertificate } from './client-certificate.ts';
import { headerProblem, type RawProblem, urlOf } from './raw-request.ts';
import { type RequestBody, requestBody } from './request-body.ts';
import { writeResponse } from './write-response.ts';

export interface NodeListenerOptions {
  /** Addresses and CIDR blocks of the proxies whose `X-Forwarded-For` is believed. @default [] */
  readonly trustedProxies?: readonly string[];
  /** Gets what a handler threw, and answers that could not be written. */
  readonly onError?: ErrorListener;
  /** Makes the id of a request, which is sent back as `X-Request-Id`. @default randomUUID */
  readonly requestId?: () => string;
}

/** A listener for the `request` event of a `node:http` server. */
export type NodeListener = (request: IncomingMessage, response: ServerResponse) => void;

/** What a server of {@link serve} tells its listener beside the request. */
export interface Connection {
  /** Whether the client waits for `100 Continue` before it sends the body. */
  readonly awaitsContinue: boolean;
  /** Tells whether the server is being closed, so that the connection ends with the answer. */
  readonly isClosing: () => boolean;
}

const ORDINARY: Connection = { awaitsContinue: false, isClosing: () => false };

/**
 * Makes a `node:http` listener of a handler. Requests whose headers or target two parsers could read in
 * two ways are refused before the handler sees them, and nothing the handler does brings the process down.
 *
 * @throws `CONFIG_INVALID` when a trusted proxy is neither an address nor a CIDR block.
 * @example
 * const server = createServer(recommendedServerOptions, toNodeListener(handler));
 * server.maxHeadersCount = 0;
 */
export function toNodeListener(handler: Handler, options: NodeListenerOptions = {}): NodeListener {
  const listen = createListener(handler, options);
  return (request, response) => listen(request, response, ORDINARY);
}

export function createListener(
  handler: Handler,
  { trustedProxies, onError = () => {}, requestId = randomUUID }: NodeListenerOptions,
): (request: IncomingMessage, response: ServerResponse, connection: Connection) => void {
  const clientAddress = createClientAddress(trustedProxies);

  async function answer(source: IncomingMessage, target: ServerResponse, connection: Connection): Promise<void> {
    if (hasGone(source.socket)) {
      target.destroy();
      return;
    }
    const certificate = clientCertificate(source.socket);
    const info = { requestId: requestId(), ...addressOf(source), ...(certificate !== undefined && { certificate }) };
    const body = requestBody(source, connection.awaitsContinue ? () => target.writeContinue() : undefined);
    try {
      target.setHeader('x-request-id', info.requestId);
      const problem = headerProblem(source);
      const response = problem === undefined ? await handle(source, target, body, info) : refusal(problem);
      const isKept = problem === undefined && (body === undefined || body.isKeepable());
      await writeResponse(response, target, {
        headOnly: source.method === 'HEAD',
        close: !isKept || connection.isClosing(),
        linger: isKept ? undefined : body?.discard,
      });
      await body?.discard();
    } catch (error) {
      if (!target.destroyed) report(error, info);
      target.destroy();
    }
  }

  async function handle(
    source: IncomingMessage,
    target: ServerResponse,
    body: RequestBody | undefined,
    info: RequestInfo,
  ): Promise<Response> {
    const url = urlOf(source);
    if (url === undefined) return refusal({ status: 400, message: 'Invalid request target' });
    try {
      // Waiting for what a body parser before this has taken would never end.
      if (body !== undefined && source.readableDidRead) throw new Error('The body was read before it came here');
      const response = await handler(toRequest(url, source, target, body), info);
      if (!(response instanceof Response)) throw new TypeError('The handler did not answer with a Response');
      return response;
    } catch (error) {
      return errorResponse(error, { onError: (cause) => onError(cause, info) });
    }
  }

  function addressOf({ socket, headers }: IncomingMessage): { readonly ip?: string } {
    const forwardedFor = headers['x-forwarded-for'];
    const ip = clientAddress(socket.remoteAddress, Array.isArray(forwardedFor) ? forwardedFor.join() : forwardedFor);
    return ip === undefined ? {} : { ip };
  }

  function report(error: unknown, info: RequestInfo): void {
    try {
      onError(error, info);
    } catch {
      // Nobody is left to tell.
    }
  }

  return (request, response, connection) => {
    answer(request, response, connection).catch(() => response.destroy());
  };
}

function toRequest(url: URL, source: IncomingMessage, target: ServerResponse, body: RequestBody | undefined): Request {
  const headers = new Headers();
  for (let index = 0; index < source.rawHeaders.length; index += 2) {
    headers.append(source.rawHeaders[index] ?? '', source.rawHeaders[index + 1] ?? '');
  }
  const { method = 'GET' } = source;
  const aborter = new AbortController();
  target.once('close', () => {
    if (!target.writableFinished) aborter.abort();
  });
  return new Request(url, {
    // A Web request cannot be a TRACE. Under a name that no route has it is refused like any unknown method.
    method: method === 'TRACE' ? 'X-TRACE' : method,
    headers,
    signal: aborter.signal,
    ...(body !== undefined && method !== 'GET' && method !== 'HEAD' && { body: body.stream, duplex: 'half' }),
  });
}

function refusal({ status, message }: RawProblem): Response {
  return json(status, { error: message });
}

/**
 * Tells whether the peer of a TCP connection has reset it. Nobody would get the answer, and nobody could be
 * counted for the attempt: the address is gone with the peer. (A Unix socket has no addresses at all.)
 */
function hasGone({ destroyed, localAddress, remoteAddress }: Socket): boolean {
  return destroyed || (remoteAddress === undefined && localAddress !== undefined);
}
