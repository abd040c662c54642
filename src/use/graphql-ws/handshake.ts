import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { GRAPHQL_TRANSPORT_WS_PROTOCOL } from 'graphql-ws';
import { headerProblem, urlOf } from '../node/raw-request.ts';

/** Why an upgrade is refused. */
export interface HandshakeProblem {
  readonly status: number;
  readonly message: string;
}

/** Whether an upgrade request is for a path, whatever else is wrong with it. */
export function isForPath({ url = '' }: IncomingMessage, path: string): boolean {
  return url.split('?', 1)[0] === path;
}

/** @returns `undefined` when the upgrade may go on. */
export function handshakeProblem(
  request: IncomingMessage,
  path: string,
  allowedOrigins: readonly string[],
): HandshakeProblem | undefined {
  const problem = headerProblem(request);
  if (problem !== undefined) return problem;
  if (urlOf(request) === undefined) return { status: 400, message: 'Invalid request target' };
  if (!isForPath(request, path)) return { status: 404, message: 'Not found' };
  if (!isAllowedOrigin(request, allowedOrigins)) return { status: 403, message: 'Origin not allowed' };
  const offered = request.headers['sec-websocket-protocol']?.split(',').map((protocol) => protocol.trim());
  if (offered?.includes(GRAPHQL_TRANSPORT_WS_PROTOCOL) === true) return undefined;
  return { status: 400, message: `The subprotocol must be ${GRAPHQL_TRANSPORT_WS_PROTOCOL}` };
}

/** Answers an upgrade request as an ordinary one, and ends the connection. */
export function refuseUpgrade(socket: Duplex, { status, message }: HandshakeProblem): void {
  const body = JSON.stringify({ error: message });
  socket.on('error', () => socket.destroy());
  socket.once('finish', () => socket.destroy());
  socket.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      'Connection: close',
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Cache-Control: no-store',
      'X-Content-Type-Options: nosniff',
      '',
      body,
    ].join('\r\n'),
  );
}

/** Only browsers send an origin, and always a true one; what sends none is no web page of somebody else. */
export function isAllowedOrigin({ headers }: IncomingMessage, allowedOrigins: readonly string[]): boolean {
  const { origin, host } = headers;
  if (origin === undefined || allowedOrigins.includes(origin)) return true;
  return URL.canParse(origin) && host !== undefined && new URL(origin).host === host.toLowerCase();
}
