import { createServer, type Server, type ServerOptions } from 'node:http';
import type { Socket } from 'node:net';
import type { Handler } from '../../http/index.ts';
import { createListener, type NodeListenerOptions } from './listener.ts';

/**
 * Options for `node:http` that bound what a slow or hostile client may hold. Set `maxHeadersCount` of the
 * server to 0 beside them: the listener counts the lines itself, where Node drops those over its limit.
 */
export const recommendedServerOptions: Readonly<
  Required<Pick<ServerOptions, 'headersTimeout' | 'requestTimeout' | 'connectionsCheckingInterval' | 'maxHeaderSize'>>
> = Object.freeze({
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 5_000,
  maxHeaderSize: 16 * 1_024,
});

export interface ServeOptions extends NodeListenerOptions {
  /** 0 takes a free one. @default 0 */
  readonly port?: number;
  /** @default '127.0.0.1' */
  readonly host?: string;
  /** Replaces single {@link recommendedServerOptions}. */
  readonly server?: ServerOptions;
}

export interface RunningServer {
  /** For example `http://127.0.0.1:4000`. */
  readonly url: string;
  readonly server: Server;
  /**
   * Stops accepting, lets requests under way finish, and then ends what is left.
   *
   * @param graceMs - milliseconds until connections are ended. @default 10000
   */
  close(graceMs?: number): Promise<void>;
}

/**
 * Serves a handler with `node:http`; resolves when it listens, and rejects when it cannot.
 *
 * @throws `CONFIG_INVALID`; see `toNodeListener`.
 * @example
 * const { url, close } = await serve(handler, { port: 4000 });
 */
export async function serve(handler: Handler, options: ServeOptions = {}): Promise<RunningServer> {
  const { port = 0, host = '127.0.0.1', server: overrides, ...listenerOptions } = options;
  const listen = createListener(handler, listenerOptions);
  const connections = new Set<Socket>();
  let closing = false;
  const isClosing = (): boolean => closing;

  const server = createServer({ ...recommendedServerOptions, ...overrides });
  server.maxHeadersCount = 0;
  server.on('request', (request, response) => listen(request, response, { awaitsContinue: false, isClosing }));
  server.on('checkContinue', (request, response) => listen(request, response, { awaitsContinue: true, isClosing }));
  server.on('connection', (socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    // Later errors are of single connections that could not be accepted; rejecting again does nothing.
    server.on('error', reject);
    server.listen(port, host, resolve);
  });

  return {
    url: urlOf(server, host),
    server,
    close: (graceMs = 10_000) =>
      new Promise((resolve) => {
        closing = true;
        const timer = setTimeout(() => {
          for (const socket of connections) socket.destroy();
        }, graceMs);
        server.close(() => {
          clearTimeout(timer);
          resolve();
        });
      }),
  };
}

function urlOf(server: Server, host: string): string {
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
