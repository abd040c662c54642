import { once } from 'node:events';
import { createServer, request, type Server, type ServerOptions } from 'node:https';
import { text } from 'node:stream/consumers';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';
import type { Handler } from 'doorward/http';
import { toNodeListener } from 'doorward/use/node';
import { type Certified, certify } from './certificates.ts';

/** An authority of ours, its server, and clients of it and of others. */
export const authority: Certified = certify({ subject: [['CN', 'Test authority']], isAuthority: true });
const foreign = certify({ subject: [['CN', 'Test authority']], isAuthority: true });
const serverPair = certify({ subject: [['CN', 'localhost']], names: [['DNS', 'localhost']] }, authority);
const BILLING = {
  subject: [
    ['O', 'Example'],
    ['CN', 'billing'],
  ],
  names: [['URI', 'spiffe://example.org/billing']],
} as const;

export const billing: Certified = certify(BILLING, authority);
export const reports: Certified = certify(
  { subject: [['CN', 'reports']], names: [['URI', 'spiffe://example.org/reports']] },
  authority,
);
/** Says what billing's says, and is signed by an authority that nobody trusts. */
export const impostor: Certified = certify(BILLING, foreign);
export const expired: Certified = certify({ ...BILLING, notAfter: new Date('2024-01-01') }, authority);

export interface TlsServer {
  readonly server: Server;
  readonly port: number;
  close(): Promise<void>;
}

/** Serves a handler over TLS; clients without a certificate, or with a bad one, are let through as nobody. */
export async function serveTls(handler: Handler, options: ServerOptions = {}): Promise<TlsServer> {
  const { cert, key } = serverPair;
  const server = createServer(
    { cert, key, ca: authority.cert, requestCert: true, rejectUnauthorized: false, ...options },
    toNodeListener(handler),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    server,
    port: typeof address === 'object' && address !== null ? address.port : 0,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

export interface Answer {
  readonly status: number;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly body: string;
}

export interface Ask {
  readonly client?: Certified | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly method?: string;
  readonly path?: string;
}

/** One request on a connection of its own. */
export async function askTls(
  { port }: TlsServer,
  { client, headers = {}, method = 'GET', path = '/' }: Ask,
): Promise<Answer> {
  const pair = client === undefined ? {} : { cert: client.cert, key: client.key };
  const sent = request({
    host: '127.0.0.1',
    servername: 'localhost',
    port,
    path,
    method,
    headers,
    ca: authority.cert,
    agent: false,
    ...pair,
  });
  sent.end();
  const [response] = await once(sent, 'response');
  return { status: response.statusCode, headers: response.headers, body: await text(response) };
}

/** Opens a connection that stays, for several requests. */
export async function openTls({ port }: TlsServer, options: ConnectionOptions): Promise<TLSSocket> {
  const socket = connect({ host: '127.0.0.1', servername: 'localhost', port, ca: authority.cert, ...options });
  socket.on('error', () => undefined);
  await once(socket, 'secureConnect');
  return socket;
}

/** One `GET /` on an open connection; the status of its answer. */
export async function statusOn(socket: TLSSocket): Promise<number> {
  let answer = '';
  const read = (chunk: Buffer) => {
    answer += chunk.toString();
  };
  const gone = new AbortController();
  socket.on('data', read);
  socket.once('close', () => gone.abort());
  socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
  while (!/\r\n\r\n.*\}/s.test(answer)) await once(socket, 'data', { signal: gone.signal });
  socket.off('data', read);
  return Number(answer.slice(9, 12));
}
