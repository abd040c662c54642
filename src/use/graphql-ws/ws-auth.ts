import type { ExecutionArgs } from 'graphql';
import type { Context, OperationResult, ServerOptions } from 'graphql-ws';
import type { Extra } from 'graphql-ws/use/ws';
import type { EnvironmentSource } from '../../core/index.ts';
import type { AuthContext } from '../../graphql/index.ts';
import { endingStream } from '../graphql/ending-stream.ts';
import { createOperationAuth } from '../graphql/operation-auth.ts';
import { createToldErrors } from '../graphql/told-errors.ts';
import { createClientAddress } from '../node/client-address.ts';
import { closeSocket } from './close-socket.ts';
import { connect } from './connect.ts';
import { isAllowedOrigin } from './handshake.ts';
import { createOperations, notAuthenticated } from './operations.ts';
import {
  type GraphQLSocketsOptions,
  readOptions,
  refuseUnknown,
  type SocketCaller,
  type SocketLimits,
} from './options.ts';
import { createVisitor, type Visitor } from './visitor.ts';

/** Bounds of one socket that `useServer` of graphql-ws serves. */
export type WsAuthLimits = Pick<SocketLimits, 'initTimeoutMs' | 'operations'>;

export interface WsAuthOptions extends Omit<GraphQLSocketsOptions, 'server' | 'path' | 'limits' | 'environment'> {
  /** Tells the facts of the moment. @default environmentSource() */
  readonly environment?: EnvironmentSource;
  readonly limits?: WsAuthLimits;
}

type Hooks = ServerOptions<Record<string, unknown>, Extra>;
type HookName =
  | ('connectionInitWaitTimeout' | 'execute' | 'subscribe')
  | ('onConnect' | 'onSubscribe' | 'onOperation' | 'onNext' | 'onError' | 'onComplete' | 'onClose');

/** The options of `useServer` that are set. */
export type WsAuthHooks = { readonly [Name in HookName]: NonNullable<Hooks[Name]> };

/** What `useServer` of graphql-ws takes. */
export interface WsAuth extends WsAuthHooks {
  /** Keeps the text of an error out of the reason that a socket is closed with. */
  readonly isProd: true;
  /** Closes every socket of a principal with 4403, at once; with a session only those that were opened with a token of it. */
  revoke(principalId: string, sessionId?: string): void;
  /** Closes every socket that was let in with 1013, and lets in no more. */
  close(): void;
}

/**
 * Makes the hooks with which graphql-ws serves a protected schema on WebSockets of your own: the token comes in the
 * payload of `connection_init` and is authenticated anew for every operation and every event. A socket is closed
 * with 4403 when its origin is none that may connect, or its token is not good, ends or is revoked. What a client
 * sends at once and how slowly it reads is not bounded here: `createGraphQLSockets` does.
 *
 * @throws `CONFIG_INVALID` when an option is missing, unknown or cannot be meant.
 * @example
 * const auth = wsAuth({ schema, authenticate: accounts.authenticate });
 * useServer({ schema, ...auth }, new WebSocketServer({ server, path: '/graphql', maxPayload: 65_536 }));
 */
export function wsAuth(options: WsAuthOptions): WsAuth {
  refuseUnknown(options, [], ['initTimeoutMs', 'operations']);
  const settings = readOptions(options);
  const { allowedOrigins, limits, requestId } = settings;
  const clientAddress = createClientAddress(settings.trustedProxies);
  const operationAuth = createOperationAuth(settings);
  const operations = createOperations(settings, operationAuth);
  const told = createToldErrors(settings.maskError);
  const visitors = new WeakMap<object, Visitor>();

  function visit({ extra: { socket, request } }: Context<Record<string, unknown>, Extra>): Visitor {
    const forwardedFor = request.headers['x-forwarded-for'];
    const ip = clientAddress(request.socket.remoteAddress, forwardedFor?.toString());
    const caller: SocketCaller = { request, requestId: requestId(), ...(ip !== undefined && { ip }) };
    const visitor = createVisitor(caller, (code, reason) => {
      closeSocket(socket, code, reason);
      visitor.leave();
    });
    return visitor;
  }

  return {
    connectionInitWaitTimeout: limits.initTimeoutMs,
    execute: settings.execute,
    subscribe: settings.subscribe,
    isProd: true,
    onConnect(context) {
      if (!isAllowedOrigin(context.extra.request, allowedOrigins)) return false;
      const visitor = visit(context);
      visitors.set(context, visitor);
      return connect(operationAuth, visitor, context.connectionParams);
    },
    async onSubscribe(context, id, payload) {
      const visitor = visitors.get(context);
      // A socket that is closing still receives.
      if (visitor === undefined || visitor.isEnded()) return [notAuthenticated()];
      const wasLive = visitor.live.has(id);
      const prepared = await operations.start(visitor, id, payload);
      if (!('schema' in prepared) && !wasLive) visitor.release(id);
      return prepared;
    },
    /** A stream without rules ends with the login too. */
    onOperation(_context, _id, _payload, args, result) {
      return isStream(result) ? endingStream(result, signalOf(args), () => {}) : undefined;
    },
    onNext: (_context, _id, _payload, _args, result) => told.ofResult(result),
    onError: (_context, _id, _payload, errors) => told.ofOperation(errors),
    onComplete: (context, id) => visitors.get(context)?.release(id),
    onClose: (context) => visitors.get(context)?.leave(),
    revoke: operationAuth.revoke,
    close: operationAuth.close,
  };
}

type Stream = Extract<Awaited<OperationResult>, AsyncIterable<unknown>>;

function isStream(result: OperationResult): result is Stream {
  return Symbol.asyncIterator in result;
}

function signalOf({ contextValue }: ExecutionArgs): AbortSignal | undefined {
  return (contextValue as { readonly auth: AuthContext }).auth.signal;
}
