import type { IncomingMessage, ServerResponse } from 'node:http';
import { GraphQLError, type GraphQLFormattedError } from 'graphql';
import { type AuthContext, maskGraphQLError } from '../graphql/index.ts';
import { createHostEntrance, type HostAuth, type HostAuthOptions, type HostEntrance } from './graphql/host-auth.ts';
import { isRefusal } from './graphql/operation-auth.ts';
import type { Refusal } from './graphql/refusal.ts';

export type ApolloAuthOptions = HostAuthOptions;

/** A request and its response as Apollo's integrations for Node hand them over. */
export interface ApolloExchange {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
}

/** What an Apollo server and its integration take. */
export interface ApolloAuth extends HostAuth {
  /** Makes what the context of a request has of this library; a request whose token is not good is answered with 401. */
  context(exchange: ApolloExchange): Promise<{ readonly auth: AuthContext }>;
  /** Makes errors fit for a client, as `maskGraphQLError` does; the codes that Apollo gives to bad requests stay. */
  formatError(formatted: GraphQLFormattedError, error: unknown): GraphQLFormattedError;
}

/**
 * Makes the context and the error formatter of an Apollo server: the token comes in the header `Authorization`.
 *
 * @throws `CONFIG_INVALID` when an option is missing, unknown or cannot be meant.
 * @example
 * const auth = apolloAuth({ authenticate: accounts.authenticate });
 * const server = new ApolloServer({ schema, formatError: auth.formatError });
 * await startStandaloneServer(server, { context: auth.context });
 */
export function apolloAuth(options: ApolloAuthOptions): ApolloAuth {
  const entrance = createHostEntrance(options);
  return {
    async context({ req, res }) {
      const answer = await entrance.enterNode(req);
      if (isRefusal(answer)) throw refused(answer);
      const { auth, leave } = answer;
      // A response closes in every case, also when the request was no good or its client has gone.
      if (res.closed) leave();
      else res.once('close', leave);
      return { auth };
    },
    formatError: (formatted, error) => toldOf(formatted, error, entrance),
    revoke: entrance.revoke,
    close: entrance.close,
  };
}

/** Apollo takes status and headers out of an error, and sends neither in its body. */
function refused({ status, headers }: Refusal): GraphQLError {
  const [message, code] =
    status === 401 ? ['Not authenticated', 'UNAUTHENTICATED'] : ['Service Unavailable', 'SERVICE_UNAVAILABLE'];
  const { 'content-type': _, ...others } = headers;
  const extensions: Record<string, unknown> = { code, http: { status, headers: new Map(Object.entries(others)) } };
  return new GraphQLError(message, { extensions });
}

function toldOf(formatted: GraphQLFormattedError, error: unknown, { onInternal }: HostEntrance): GraphQLFormattedError {
  const cause = innermost(error);
  const told = maskGraphQLError(cause, { onInternal });
  const isAboutRequest = told.path === undefined && told.extensions.code === 'BAD_USER_INPUT';
  if (told !== cause && !isAboutRequest) return told.toJSON();
  // Apollo has a code of its own for a bad request, and beside it perhaps a stack trace.
  const { stacktrace: _, ...extensions } = { ...formatted.extensions };
  const code = extensions.code === 'INTERNAL_SERVER_ERROR' ? told.extensions.code : extensions.code;
  return { ...formatted, extensions: { ...extensions, code } };
}

/** Apollo wraps what is wrong with a document in an error of its own, which points to nothing. */
function innermost(error: unknown): unknown {
  const isWrapper = error instanceof GraphQLError && error.path === undefined;
  return isWrapper && error.originalError instanceof GraphQLError ? error.originalError : error;
}
