import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createRawServer, type Server, type Socket } from 'node:net';

export interface Call {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export interface Fake {
  readonly url: string;
  /** Sockets that are open now. */
  readonly sockets: ReadonlySet<Socket>;
  close(): Promise<void>;
}

/** A policy server that keeps what it is asked and answers as told. */
export async function fakeOpa(
  answer: (response: ServerResponse, call: Call) => void,
): Promise<Fake & { readonly calls: readonly Call[] }> {
  const calls: Call[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method, url, headers } = request;
      const call = { method, url, headers, body: Buffer.concat(chunks).toString() };
      calls.push(call);
      answer(response, call);
    });
  });
  return { calls, ...(await listening(server)) };
}

/** A policy server below HTTP, which gets each chunk that arrives. */
export function rawOpa(onData: (socket: Socket, data: Buffer) => unknown): Promise<Fake> {
  return listening(createRawServer((socket) => socket.on('data', (data) => onData(socket, data))));
}

export function answerJson(body: unknown, status = 200): (response: ServerResponse) => void {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
}

async function listening(server: Server): Promise<Fake> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sockets,
    close: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
