import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { FormattedExecutionResult, GraphQLError, GraphQLFormattedError } from 'graphql';
import { type ExecutionResult, GRAPHQL_TRANSPORT_WS_PROTOCOL, makeServer } from 'graphql-ws';
import { WebSocketServer } from 'ws';
import { type Principal, principalFrom } from '../../core/index.ts';
import { createClientAddress } from '../node/client-address.ts';
import { bearerOf } from './bearer-of.ts';
import { type Client, createClient, type Login } from './client.ts';
import { handshakeProblem, isForPath, refuseUpgrade } from './handshake.ts';
import { createOperations } from './operations.ts';
import { callerOf, type GraphQLSocketsOptions, readOptions } from './options.ts';
import { located } from './wrapped-error.ts';

/** GraphQL over WebSocket on one server. */
export interface GraphQLSockets {
  /** Takes an upgrade request; needed only without the option `server`. */
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Closes every socket of a principal with 4403, at once; with a session only those that were opened with a token of it. */
  revoke(principalId: string, sessionId?: string): void;
  /** Takes no more sockets, closes all with 1001, and resolves when what ran on them has been returned. */
  close(): Promise<void>;
}

/** Tells whose sockets are closed. */
type Revocation = (login: Login) => boolean;

const FORBIDDEN = 4403;
const TRY_AGAIN_LATER = 1013;

/**
 * Serves queries, mutations and subscriptions over `graphql-transport-ws`, the one subprotocol it takes.
 * The token comes in the payload of `connection_init` and is authenticated anew for every operation and,
 * through `context.auth`, for every event. A socket is closed with 4403 when its token is not good, ends or
 * is revoked. Without a token the caller is anonymous.
 *
 * @throws `CONFIG_INVALID` when an option cannot be meant.
 * @example
 * const sockets = createGraphQLSockets({ schema, server, authenticate: accounts.authenticate, environment });
 */
export function createGraphQLSockets(options: GraphQLSocketsOptions): GraphQLSockets {
  const settings = readOptions(options);
  const { server, path, allowedOrigins, authenticate, environment, maskError, onError, limits } = settings;
  const clientAddress = createClientAddress(settings.trustedProxies);
  const operations = createOperations(settings);
  const clients = new Set<Client>();
  /** For every socket that is being opened what was revoked meanwhile. */
  const opening = new Set<Revocation[]>();
  let isClosing = false;

  const protocol = makeServer<Record<string, unknown>, Client>({
    connectionInitWaitTimeout: limits.initTimeoutMs,
    execute: settings.execute,
    subscribe: settings.subscribe,
    onConnect: ({ extra: client, connectionParams }) => connect(client, connectionParams),
    onSubscribe: ({ extra: client }, id, payload) => operations.start(client, id, payload),
    onNext: (_context, _id, _payload, _args, result) => masked(result),
    onError: (_context, _id, _payload, errors) => errors.map(unplaced),
  });

  /** @returns whether the client may stay. */
  async function connect(client: Client, payload: Record<string, unknown> | undefined): Promise<boolean> {
    const bearer = bearerOf(payload);
    if (bearer.kind !== 'token') return bearer.kind === 'none';
    const { token } = bearer;
    const revoked: Revocation[] = [];
    opening.add(revoked);
    try {
      const principal = principalFrom(await authenticate(token, callerOf(client.caller)));
      if (principal === undefined) return false;
      const login = { token, principalId: principal.id, sessionId: principal.session?.id };
      // Whoever was revoked meanwhile was not found among the sockets: the answer may be an old one.
      if (revoked.some((concerns) => concerns(login))) return connect(client, payload);
      client.login = login;
      endWithToken(client, principal);
      return true;
    } catch (error) {
      giveUp(client, error);
      return false;
    } finally {
      opening.delete(revoked);
    }
  }

  /** Ends a socket of which nobody can tell whether it may stay. */
  function giveUp(client: Client, error: unknown): void {
    onError(error);
    client.end(TRY_AGAIN_LATER, 'Try again later');
  }

  function endWithToken(client: Client, { session }: Principal): void {
    if (session === undefined) return;
    const check = (): void => {
      try {
        const remaining = session.expiresAt * 1_000 - environment().time;
        if (remaining > 0) client.after(remaining, check);
        else client.end(FORBIDDEN, 'Token expired');
      } catch (error) {
        giveUp(client, error);
      }
    };
    check();
  }

  function formatted(error: unknown): GraphQLFormattedError {
    return maskError(error).toJSON();
  }

  /** An error that ended an operation: it has the path that it was thrown with, and else none. */
  function unplaced(error: GraphQLError): GraphQLFormattedError {
    const { path, ...others } = formatted(located(error));
    return path === undefined || path.length === 0 ? others : { ...others, path };
  }

  /** @returns `undefined` for a result without errors, which goes out as it is. */
  function masked({ data, errors, extensions }: ExecutionResult): FormattedExecutionResult | undefined {
    if (errors === undefined) return undefined;
    return {
      ...(data !== undefined && { data }),
      errors: errors.map(formatted),
      ...(extensions !== undefined && { extensions }),
    };
  }

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
    revoke(principalId, sessionId) {
      const concerns = (login: Login): boolean =>
        login.principalId === principalId && (sessionId === undefined || login.sessionId === sessionId);
      for (const revoked of opening) revoked.push(concerns);
      for (const client of clients) {
        if (client.login !== undefined && concerns(client.login)) client.end(FORBIDDEN, 'Forbidden');
      }
    },
    async close() {
      isClosing = true;
      clearInterval(pings);
      for (const client of clients) client.end(1001, 'Going away');
      await Promise.all([...clients].map(({ done }) => done));
      server?.off('upgrade', onUpgrade);
    },
  };
}
