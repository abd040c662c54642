import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { GRAPHQL_TRANSPORT_WS_PROTOCOL, makeServer } from 'graphql-ws';
import { WebSocketServer } from 'ws';
import { createOperationAuth } from '../graphql/operation-auth.ts';
import { createToldErrors } from '../graphql/told-errors.ts';
import { createClientAddress } from '../node/client-address.ts';
import { type Client, createClient } from './client.ts';
import { connect } from './connect.ts';
import { handshakeProblem, isForPath, refuseUpgrade } from './handshake.ts';
import { createOperations } from './operations.ts';
import { type GraphQLSocketsOptions, readOptions, refuseUnknown } from './options.ts';

/** GraphQL over WebSocket on one server. */
export interface GraphQLSockets {
  /** Takes an upgrade request; needed only without the option `server`. */
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Closes every socket of a principal with 4403, at once; with a session only those that were opened with a token of it. */
  revoke(principalId: string, sessionId?: string): void;
  /** Takes no more sockets, closes all with 1001, and resolves when what ran on them has been returned. */
  close(): Promise<void>;
}

/**
 * Serves queries, mutations and subscriptions over `graphql-transport-ws`, the one subprotocol it takes.
 * The token comes in the payload of `connection_init` and is authenticated anew for every operation and,
 * through `context.auth`, for every event. A socket is closed with 4403 when its token is not good, ends or
 * is revoked. Without a token the caller is anonymous.
 *
 * @throws `CONFIG_INVALID` when an option is unknown or cannot be meant.
 * @example
 * const sockets = createGraphQLSockets({ schema, server, authenticate: accounts.authenticate, environment });
 */
export function createGraphQLSockets(options: GraphQLSocketsOptions): GraphQLSockets {
  refuseUnknown(options, ['server', 'path']);
  const settings = readOptions(options);
  const { server, path, allowedOrigins, onError, limits } = settings;
  const clientAddress = createClientAddress(settings.trustedProxies);
  const operationAuth = createOperationAuth(settings);
  const operations = createOperations(settings, operationAuth);
  const told = createToldErrors(settings.maskError);
  const clients = new Set<Client>();
  let isClosing = false;

  const protocol = makeServer<Record<string, unknown>, Client>({
    connectionInitWaitTimeout: limits.initTimeoutMs,
    execute: settings.execute,
    subscribe: settings.subscribe,
    onConnect: ({ extra: client, connectionParams }) => connect(operationAuth, client, connectionParams),
    onSubscribe: ({ extra: client }, id, payload) => operations.start(client, id, payload),
    onNext: (_context, _id, _payload, _args, result) => told.ofResult(result),
    onError: (_context, _id, _payload, errors) => told.ofOperation(errors),
  });

  const webSockets = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: limits.messageBytes,
    handleProtocols: () => GRAPHQL_TRANSPORT_WS_PROTOCOL,
  });
  const pings = setInterval(() => {
    for (const client of clients) client.ping();
  }, limits.keepAliveMs).unref();

  function handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const problem = isClosing
      ? { status: 503, message: 'Service Unavailable' }
      : handshakeProblem(request, path, allowedOrigins);
    if (problem !== undefined) {
      refuseUpgrade(socket, problem);
      return;
    }
    const forwardedFor = request.headers['x-forwarded-for'];
    const ip = clientAddress(request.socket.remoteAddress, forwardedFor?.toString());
    webSockets.handleUpgrade(request, socket, head, (webSocket) => {
      const caller = { request, requestId: settings.requestId(), ...(ip !== undefined && { ip }) };
      const client = createClient(webSocket, caller, { protocol, bufferedBytes: limits.bufferedBytes, onError });
      clients.add(client);
      webSocket.once('close', () => clients.delete(client));
    });
  }

  /** Other listeners of the server may serve other paths. */
  function onUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    if (isForPath(request, path) || server?.listenerCount('upgrade') === 1) handleUpgrade(request, socket, head);
  }
  server?.on('upgrade', onUpgrade);

  return {
    handleUpgrade,
    revoke: operationAuth.revoke,
    async close() {
      isClosing = true;
      clearInterval(pings);
      for (const client of clients) client.end(1001, 'Going away');
      operationAuth.close();
      await Promise.all([...clients].map(({ done }) => done));
      server?.off('upgrade', onUpgrade);
    },
  };
}
