import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { refuseUnknownOptions } from '../../core/config-invalid.ts';
import {
  type Authenticator,
  type CallerAuthenticator,
  type EnvironmentSource,
  environmentSource,
  type MaybePromise,
} from '../../core/index.ts';
import { createClientAddress } from '../node/client-address.ts';
import { readNodeRequest } from './node-request.ts';
import { createOperationAuth, type Entered, type OperationAuth } from './operation-auth.ts';
import type { Refusal } from './refusal.ts';

/** What every adapter of a GraphQL server takes. */
export interface HostAuthOptions {
  readonly authenticate: Authenticator;
  /** Finds a principal where a request has no `Authorization` header at all, for example by client certificate. @default nobody */
  readonly authenticateCaller?: CallerAuthenticator;
  /** Tells the facts of the moment. @default environmentSource() */
  readonly environment?: EnvironmentSource;
  /** Addresses and CIDR blocks of the proxies whose `X-Forwarded-For` is believed. @default [] */
  readonly trustedProxies?: readonly string[];
  /** The address of the resource's metadata; named in every challenge (RFC 9728 section 5.1). @default none */
  readonly resourceMetadata?: string;
  /** Makes the id of a request, which `authenticate`, `context.auth` and events get. @default randomUUID */
  readonly requestId?: () => string;
  /** Gets what went wrong and is not told to a client. */
  readonly onError?: (error: unknown) => void;
}

/** What every adapter of a GraphQL server gives. */
export interface HostAuth {
  /** Ends the streams of a principal at once; with a session only those that were begun with a token of it. */
  revoke(principalId: string, sessionId?: string): void;
  /** Ends all streams and refuses every request from now on with 503. */
  close(): void;
}

/** What the adapters are made of. */
export interface HostEntrance extends HostAuth {
  readonly enter: OperationAuth['enter'];
  /** Reads the credentials of a request and lets it in, or not. */
  enterNode(request: IncomingMessage): MaybePromise<Entered | Refusal>;
  /** Makes the id of a request. */
  requestId(): string;
  /** Tells of what a client is not told; never throws. */
  onInternal(error: unknown): void;
}

const OPTIONS: readonly string[] = [
  'authenticate',
  'authenticateCaller',
  'environment',
  'trustedProxies',
  'resourceMetadata',
  'requestId',
  'onError',
];

export function createHostEntrance(options: HostAuthOptions): HostEntrance {
  refuseUnknownOptions(options, OPTIONS);
  const { environment = environmentSource(), trustedProxies, requestId = randomUUID, onError, ...others } = options;
  const clientAddress = createClientAddress(trustedProxies);
  const { enter, revoke, close } = createOperationAuth({ ...others, environment, onError });
  return {
    enter,
    enterNode(request) {
      const { presented, caller } = readNodeRequest(request, clientAddress, requestId);
      return enter(presented, caller);
    },
    requestId,
    revoke,
    close,
    onInternal(error) {
      try {
        onError?.(error);
      } catch {
        // Nobody is left to tell.
      }
    },
  };
}
