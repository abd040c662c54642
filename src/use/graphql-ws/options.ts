import { randomUUID } from 'node:crypto';
import type { IncomingMessage, Server } from 'node:http';
import {
  type DocumentNode,
  type ExecutionArgs,
  execute,
  type GraphQLError,
  type GraphQLSchema,
  isSchema,
  subscribe,
} from 'graphql';
import type { OperationResult } from 'graphql-ws';
import { configInvalid, refuseUnknownOptions } from '../../core/config-invalid.ts';
import { type Authenticator, type EnvironmentSource, environmentSource, type MaybePromise } from '../../core/index.ts';
import { type AuthContext, maskGraphQLError } from '../../graphql/index.ts';
import type { OperationCaller } from '../graphql/operation-auth.ts';
import { clientCertificate } from '../node/client-certificate.ts';

/** Bounds of one socket. */
export interface SocketLimits {
  /** How long a client may take to send `connection_init`, in milliseconds. @default 3000 */
  readonly initTimeoutMs?: number;
  /** How many operations may run at once. @default 100 */
  readonly operations?: number;
  /** How large a message of a client may be, in bytes. @default 65536 */
  readonly messageBytes?: number;
  /** How much may wait for a client that reads slowly, in bytes. @default 1048576 */
  readonly bufferedBytes?: number;
  /** The time between two pings, in milliseconds; a client that has not answered one until the next is dropped. @default 12000 */
  readonly keepAliveMs?: number;
}

/** Where an operation comes from. */
export interface SocketCaller {
  readonly ip?: string;
  /** Identifies the socket in logs and events. */
  readonly requestId: string;
  /** The request that the socket began as. */
  readonly request: IncomingMessage;
}

export interface GraphQLSocketsOptions {
  /** Executed as it is; protect it first. */
  readonly schema: GraphQLSchema;
  readonly authenticate: Authenticator;
  /** Tells the facts of the moment. @default environmentSource() */
  readonly environment?: EnvironmentSource;
  /** Takes the upgrade requests of this server. Without it, hand them to `handleUpgrade`. */
  readonly server?: Server;
  /** @default '/graphql' */
  readonly path?: string;
  /** Origins of the web pages that may connect, beside those of the server's own host. @default [] */
  readonly allowedOrigins?: readonly string[];
  /** Addresses and CIDR blocks of the proxies whose `X-Forwarded-For` is believed. @default [] */
  readonly trustedProxies?: readonly string[];
  /** Makes what an operation's context has beside `auth`; called for each operation. */
  readonly context?: (auth: AuthContext, caller: SocketCaller) => MaybePromise<object>;
  /** @default `parse` of graphql with at most 5000 tokens */
  readonly parse?: (source: string) => DocumentNode;
  /** @default `validate` of graphql */
  readonly validate?: (schema: GraphQLSchema, document: DocumentNode) => readonly GraphQLError[];
  /** @default `execute` of graphql */
  readonly execute?: (args: ExecutionArgs) => OperationResult;
  /** @default `subscribe` of graphql */
  readonly subscribe?: (args: ExecutionArgs) => OperationResult;
  /** Makes an error fit for a client. @default `maskGraphQLError`, with `onError` for what it masks */
  readonly maskError?: (error: unknown) => GraphQLError;
  /** Gets what went wrong and is not told to a client. */
  readonly onError?: (error: unknown) => void;
  /** Makes the id of a socket. @default randomUUID */
  readonly requestId?: () => string;
  readonly limits?: SocketLimits;
}

type Optional = 'server' | 'context' | 'parse' | 'validate';

/** What an authenticator is told of a socket. */
export function callerOf({ ip, requestId, request }: SocketCaller): OperationCaller {
  return {
    ip,
    requestId,
    userAgent: request.headers['user-agent'],
    /** That of the connection at this moment: a renegotiation may bring another one. */
    get certificate() {
      return clientCertificate(request.socket);
    },
  };
}

/** Options with every default in its place. */
export type Settings = Required<Omit<GraphQLSocketsOptions, Optional | 'limits'>> &
  Pick<GraphQLSocketsOptions, Optional> & { readonly limits: Required<SocketLimits> };

const DEFAULT_LIMITS: Required<SocketLimits> = {
  initTimeoutMs: 3_000,
  operations: 100,
  messageBytes: 64 * 1_024,
  bufferedBytes: 1_024 * 1_024,
  keepAliveMs: 12_000,
};

/** The options of both ways to serve sockets. */
const OPTIONS: readonly string[] = [
  ...['schema', 'authenticate', 'environment', 'allowedOrigins', 'trustedProxies', 'context', 'parse', 'validate'],
  ...['execute', 'subscribe', 'maskError', 'onError', 'requestId', 'limits'],
];

/** @throws `CONFIG_INVALID` for an option that is neither one of both ways to serve sockets nor one of the others, and for an unknown limit. */
export function refuseUnknown(
  options: { readonly limits?: object | undefined },
  others: readonly string[],
  limits: readonly string[] = Object.keys(DEFAULT_LIMITS),
): void {
  refuseUnknownOptions(options, [...OPTIONS, ...others]);
  for (const name of Object.keys(options.limits ?? {})) {
    if (!limits.includes(name)) throw configInvalid(`limits.${name}`, 'is not a known option');
  }
}

export function readOptions(options: GraphQLSocketsOptions): Settings {
  const onError = unfailing(options.onError);
  const settings = {
    ...options,
    environment: options.environment ?? environmentSource(),
    path: options.path ?? '/graphql',
    allowedOrigins: options.allowedOrigins ?? [],
    trustedProxies: options.trustedProxies ?? [],
    requestId: options.requestId ?? randomUUID,
    execute: options.execute ?? execute,
    subscribe: options.subscribe ?? subscribe,
    maskError: options.maskError ?? ((error: unknown) => maskGraphQLError(error, { onInternal: onError })),
    onError,
    limits: { ...DEFAULT_LIMITS, ...options.limits },
  };
  const { environment, path, allowedOrigins, limits } = settings;
  if (!isSchema(options.schema)) throw configInvalid('schema', 'must be a schema');
  if (typeof options.authenticate !== 'function') throw configInvalid('authenticate', 'must be a function');
  if (typeof environment !== 'function') throw configInvalid('environment', 'must be a function');
  if (!path.startsWith('/')) throw configInvalid('path', 'must begin with a slash');
  for (const origin of allowedOrigins) {
    if (!URL.canParse(origin) || new URL(origin).origin !== origin) {
      throw configInvalid('allowedOrigins', 'must hold origins such as "https://app.example.org"');
    }
  }
  for (const [name, value] of Object.entries(limits)) {
    if (!Number.isSafeInteger(value) || value < 1 || value > 2 ** 31 - 1) {
      throw configInvalid(`limits.${name}`, 'must be a whole number above 0');
    }
  }
  return settings;
}

/** A listener that throws would take the process down from where it is called. */
function unfailing(listener: GraphQLSocketsOptions['onError']): (error: unknown) => void {
  return (error) => {
    try {
      listener?.(error);
    } catch {
      // Nobody is left to tell.
    }
  };
}
