import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import type { RunningServer } from 'doorward/use/node';

/** Sends bytes as they are, and reads until the server closes the connection. */
export async function raw({ server }: RunningServer, ...parts: readonly (string | Buffer)[]): Promise<string> {
  const socket = connect(portOf(server), '127.0.0.1');
  socket.on('error', () => {});
  for (const part of parts) socket.write(part);
  return text(socket);
}

/** The same for one request with these header lines, on a connection that ends with the answer. */
export function rawRequest(
  running: RunningServer,
  requestLine: string,
  ...headers: readonly string[]
): Promise<string> {
  return raw(running, [requestLine, ...headers, 'Connection: close', '', ''].join('\r\n'));
}

export function statusesOf(answer: string): number[] {
  return [...answer.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status));
}

export function portOf(server: RunningServer['server']): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}
