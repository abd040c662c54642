import { GraphQLError } from 'graphql';

/** Makes a GraphQL error of whatever was thrown, in the way that the protocol does with the error of a stream. */
export function wrapped(error: unknown): GraphQLError {
  if (error instanceof GraphQLError) return error;
  const originalError =
    error instanceof Error ? error : new Error('Something else than an error was thrown', { cause: error });
  return new GraphQLError(originalError.message, { originalError });
}

/** Takes it out again. The wrapper repeats its message, and left around it would pass for an error about the request. */
export function unwrapped(error: GraphQLError): unknown {
  const cause = error.originalError ?? error.cause;
  return cause instanceof Error && cause.message === error.message ? cause : error;
}
