import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface FakePdp {
  readonly url: string;
  readonly requests: { readonly path: string; readonly headers: IncomingMessage['headers']; readonly body: string }[];
  connections(): Promise<number>;
  close(): Promise<void>;
}

/** A server that answers as a test says, and remembers what it was asked. */
export async function startPdp(answer: (path: string, body: string) => ReturnType<typeof json>): Promise<FakePdp> {
  const requests: FakePdp['requests'] = [];
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8');
      const path = request.url ?? '';
      requests.push({ path, headers: request.headers, body });
      answer(path, body)(request, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    connections: () => new Promise((resolve) => server.getConnections((_, count) => resolve(count))),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export function json(body: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): RequestListener {
  return (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };
}
