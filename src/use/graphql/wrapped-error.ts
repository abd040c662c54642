import { GraphQLError, locatedError } from 'graphql';

/** Makes a GraphQL error of whatever was thrown, in the way that the protocol does with the error of a stream. */
export function wrapped(error: unknown): GraphQLError {
  const originalError =
    error instanceof Error ? error : new Error('Something else than an error was thrown', { cause: error });
  return new GraphQLError(originalError.message, { originalError });
}

/**
 * Takes a wrapped error out again and gives it a path, as execution does with what a resolver throws: without
 * one it would pass for an error about the request, which a client is told. Other errors are left as they are.
 */
export function located(error: GraphQLError): GraphQLError {
  const cause = error.originalError ?? error.cause;
  return cause instanceof Error && cause.message === error.message ? locatedError(cause, undefined, []) : error;
}
