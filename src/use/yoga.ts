import { IncomingMessage } from 'node:http';
import { GraphQLError } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { MaybePromise } from '../core/index.ts';
import { type AuthContext, maskGraphQLError } from '../graphql/index.ts';
import { readCredentials } from '../http/credentials.ts';
import { endingStream } from './graphql/ending-stream.ts';
import { mayBeForged } from './graphql/forgery.ts';
import { createHostEntrance, type HostAuth, type HostAuthOptions, type HostEntrance } from './graphql/host-auth.ts';
import { withToldParts } from './graphql/later-parts.ts';
import { type Entered, isRefusal } from './graphql/operation-auth.ts';
import type { Refusal } from './graphql/refusal.ts';
import { wrapped } from './graphql/wrapped-error.ts';

export type YogaAuthOptions = HostAuthOptions;

/** What a Yoga server takes. */
export interface YogaAuth extends HostAuth {
  /** Puts `auth` into the context of every operation, and refuses a request whose token is not good with 401. */
  readonly plugin: Plugin<{ auth: AuthContext }>;
  /** Makes errors fit for a client, as `maskGraphQLError` does; the HTTP status that Yoga gave them stays. */
  readonly maskedErrors: { readonly maskError: (error: unknown) => Error };
}

/** The operations of one request. */
interface Visit {
  /** Let in with the request; the first operation takes it. */
  first: Entered | undefined;
  /** Those that end with the response. */
  readonly running: Set<Entered>;
  /** Those that end later, as long as the response has a stream in it. */
  readonly streaming: Set<Entered>;
}

/**
 * Makes the plugin that authenticates the requests of a GraphQL Yoga server, server-sent events included: the token
 * comes in the header `Authorization`, and the streams of a caller end when its token ends or is revoked.
 *
 * @throws `CONFIG_INVALID` when an option is missing, unknown or cannot be meant.
 * @example
 * const auth = yogaAuth({ authenticate: accounts.authenticate });
 * const yoga = createYoga({ schema, plugins: [auth.plugin], maskedErrors: auth.maskedErrors });
 */
export function yogaAuth(options: YogaAuthOptions): YogaAuth {
  const entrance = createHostEntrance(options);
  const visits = new WeakMap<Request, Visit>();
  const entered = new WeakMap<object, Entered>();

  const maskError = (error: unknown): Error => masked(error, entrance);
  const laterParts = {
    onNext<R extends object>({ result, setResult }: { readonly result: R; setResult(result: R): void }): void {
      setResult(withToldParts(result, maskError));
    },
  };

  const plugin: Plugin<{ auth: AuthContext }> = {
    async onRequestParse({ request, serverContext, endResponse, fetchAPI }) {
      const answer = await enter(entrance, request, serverContext);
      if (isRefusal(answer)) {
        const { status, headers, body } = answer;
        endResponse(new fetchAPI.Response(JSON.stringify(body), { status, headers: { ...headers } }));
      } else {
        const visit = { first: answer, running: new Set([answer]), streaming: new Set<Entered>() };
        visits.set(request, visit);
        // Yoga asks neither for a result nor for a stream after its client has gone, and so returns none.
        request.signal.addEventListener('abort', () => leaveAll(visit), { once: true });
        // A schema that is chosen by the caller is chosen before there is an operation.
        Object.assign(serverContext, { auth: answer.auth });
      }
    },

    // Every other operation of a batch is let in anew: what is decided is remembered by its principal.
    async onParams({ request, context, setResult }) {
      const visit = visits.get(request);
      const answer = visit?.first ?? (await enter(entrance, request, context));
      if (visit !== undefined) visit.first = undefined;
      if (isRefusal(answer)) {
        setResult({ errors: [refused(answer)] });
        return;
      }
      visit?.running.add(answer);
      Object.assign(context, { auth: answer.auth });
      entered.set(context, answer);
    },

    // Yoga masks what a result has at once, and not the errors of what `@defer` and `@stream` add to it.
    onExecute: () => ({ onExecuteDone: () => laterParts }),
    onSubscribe: () => ({
      onSubscribeResult: () => laterParts,
      onSubscribeError({ error, setError }) {
        if (error instanceof GraphQLError) setError(wrapped(error));
      },
    }),

    onExecutionResult({ request, result, setResult, context }) {
      const answer = entered.get(context);
      if (answer === undefined) return;
      if (isAsyncIterable(result)) {
        const visit = visits.get(request);
        visit?.running.delete(answer);
        visit?.streaming.add(answer);
        setResult(endingStream(result, answer.auth.signal, answer.leave));
      } else {
        answer.leave();
      }
    },

    onResponse({ request, response }) {
      const visit = visits.get(request);
      if (visit === undefined) return;
      // Whoever does not accept a stream gets none, though it has begun.
      if (response.body === null) leaveAll(visit);
      else for (const { leave } of visit.running) leave();
    },
  };

  return {
    plugin,
    maskedErrors: { maskError },
    revoke: entrance.revoke,
    close: entrance.close,
  };
}

function leaveAll({ running, streaming }: Visit): void {
  for (const { leave } of [...running, ...streaming]) leave();
}

/** On Node the raw request tells more: its address, its certificate, and headers that came twice. */
function enter(entrance: HostEntrance, request: Request, context: object): MaybePromise<Entered | Refusal> {
  const node = nodeRequestOf(context);
  if (node !== undefined) return entrance.enterNode(node);
  const presented = readCredentials(request.headers);
  const proof = presented.kind === 'token' ? presented.proof : undefined;
  const { method, url } = request;
  const userAgent = request.headers.get('user-agent');
  return entrance.enter(presented, {
    requestId: entrance.requestId(),
    isForgeable: mayBeForged(method, request.headers),
    ...(userAgent !== null && { userAgent }),
    ...(proof !== undefined && { dpop: { proof, method, url } }),
  });
}

/** Fastify and others hand over a request of their own, with that of Node inside. */
function nodeRequestOf(context: object): IncomingMessage | undefined {
  const { req } = context as { readonly req?: unknown };
  const { raw = req } = Object(req) as { readonly raw?: unknown };
  return raw instanceof IncomingMessage ? raw : undefined;
}

function masked(error: unknown, { onInternal }: HostEntrance): Error {
  const told = maskGraphQLError(error, { onInternal });
  const isAboutRequest = told.path === undefined && told.extensions.code === 'BAD_USER_INPUT';
  if (!isAboutRequest || !(error instanceof GraphQLError)) return withStatus(told);
  // Yoga gave it a status and perhaps a code, and logs every error that is replaced.
  error.extensions.code ??= told.extensions.code;
  return error;
}

/** What went wrong before there was anything to answer with is no success. */
function withStatus(error: GraphQLError): GraphQLError {
  if (error.path === undefined && error.extensions.code === 'INTERNAL_SERVER_ERROR') {
    error.extensions.http ??= { status: 500 };
  }
  return error;
}

function refused({ status, headers }: Refusal): GraphQLError {
  const extensions = { code: status === 401 ? 'UNAUTHENTICATED' : 'SERVICE_UNAVAILABLE', http: { status, headers } };
  return new GraphQLError(status === 401 ? 'Not authenticated' : 'Service Unavailable', { extensions });
}

function isAsyncIterable<T>(value: unknown): value is AsyncIterable<T> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}
