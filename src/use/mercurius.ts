import type { IncomingMessage, ServerResponse } from 'node:http';
import { type FormattedExecutionResult, GraphQLError } from 'graphql';
import type { MaybePromise } from '../core/index.ts';
import { type AuthContext, maskGraphQLError } from '../graphql/index.ts';
import { createHostEntrance, type HostAuth, type HostAuthOptions, type HostEntrance } from './graphql/host-auth.ts';
import { type Entered, isRefusal } from './graphql/operation-auth.ts';
import type { Refusal } from './graphql/refusal.ts';

export type MercuriusAuthOptions = HostAuthOptions;

/** A request of Fastify, by what is read of it. */
export interface MercuriusRequest {
  readonly raw: IncomingMessage;
}

/** A reply of Fastify, by what is done with it. */
export interface MercuriusReply {
  readonly raw: ServerResponse;
  headers(values: Record<string, string>): unknown;
}

/** A result as Mercurius hands it over; what was wrong with the request stands in it as an error, too. */
export interface MercuriusResult {
  readonly data?: unknown;
  readonly errors: readonly GraphQLError[];
  readonly statusCode?: number;
}

/** What the options of Mercurius take. */
export interface MercuriusAuth extends HostAuth {
  /** Makes what the context of a request has of this library; a request whose token is not good is answered with 401. */
  context(request: MercuriusRequest, reply: MercuriusReply): Promise<{ readonly auth: AuthContext }>;
  /** Makes errors fit for a client, as `maskGraphQLError` does. */
  errorFormatter(result: MercuriusResult): { readonly statusCode: number; readonly response: FormattedExecutionResult };
}

/**
 * Makes the context and the error formatter of a Mercurius server: the token comes in the header `Authorization`.
 * For subscriptions hand `app.server` to `createGraphQLSockets` of `doorward/use/graphql-ws`.
 *
 * @throws `CONFIG_INVALID` when an option is missing, unknown or cannot be meant.
 * @example
 * const auth = mercuriusAuth({ authenticate: accounts.authenticate });
 * app.register(mercurius, { schema, context: auth.context, errorFormatter: auth.errorFormatter });
 */
export function mercuriusAuth(options: MercuriusAuthOptions): MercuriusAuth {
  const entrance = createHostEntrance(options);
  const answers = new WeakMap<MercuriusRequest, MaybePromise<Entered | Refusal>>();

  return {
    async context(request, reply) {
      // Mercurius asks a second time in order to answer with an error.
      const known = answers.get(request);
      const asked = known ?? entrance.enterNode(request.raw);
      answers.set(request, asked);
      const answer = await asked;
      if (isRefusal(answer)) throw refused(answer, reply);
      const { auth, leave } = answer;
      // A response closes in every case, also when the request was no good or its client has gone.
      if (reply.raw.closed) leave();
      else if (known === undefined) reply.raw.once('close', leave);
      return { auth };
    },
    errorFormatter: (result) => formatted(result, entrance),
    revoke: entrance.revoke,
    close: entrance.close,
  };
}

/** Fastify takes the status out of an error, and leaves the headers of the reply as they are. */
function refused({ status, headers, body }: Refusal, reply: MercuriusReply): Error {
  const { 'content-type': _, ...others } = headers;
  reply.headers(others);
  return Object.assign(new Error(body.error), { statusCode: status });
}

function formatted(
  { data, errors, statusCode }: MercuriusResult,
  { onInternal }: HostEntrance,
): ReturnType<MercuriusAuth['errorFormatter']> {
  const told: GraphQLError[] = [];
  let status = statusCode;
  for (const error of errors) {
    const problem = problemOf(error);
    if (problem === undefined) {
      const masked = maskGraphQLError(error, { onInternal });
      // What went wrong before there was anything to answer with is no success.
      if (masked.path === undefined && masked.extensions.code === 'INTERNAL_SERVER_ERROR') status ??= 500;
      told.push(masked);
    } else {
      status ??= problem.statusCode;
      told.push(
        ...problem.errors.map((part) => (part instanceof GraphQLError ? maskGraphQLError(part) : badInput(part))),
      );
    }
  }
  const response = { data: data ?? null, errors: told.map((error) => error.toJSON()) } as FormattedExecutionResult;
  return { statusCode: response.data === null ? (status ?? 200) : 200, response };
}

/** What Fastify or Mercurius found wrong with the request itself, which its sender may know. */
function problemOf({ path, originalError }: GraphQLError): Problem | undefined {
  if (path !== undefined || !(originalError instanceof Error)) return undefined;
  const { code, statusCode = 500, errors = [originalError] } = originalError as Partial<Problem> & { code?: unknown };
  const isAboutRequest =
    typeof code === 'string' && /^(FST|MER)_ERR_/.test(code) && statusCode >= 400 && statusCode < 500;
  return isAboutRequest ? { statusCode, errors } : undefined;
}

interface Problem {
  readonly statusCode: number;
  readonly errors: readonly Error[];
}

function badInput({ message }: Error): GraphQLError {
  return new GraphQLError(message, { extensions: { code: 'BAD_USER_INPUT' } });
}
