import { GraphQLError } from 'graphql';

const PUBLIC_CODES: ReadonlySet<unknown> = new Set(['UNAUTHENTICATED', 'FORBIDDEN', 'BAD_USER_INPUT', 'NOT_FOUND']);

export interface MaskGraphQLErrorOptions {
  /** Gets the original of every error that is masked; log it. */
  readonly onInternal?: (error: unknown) => void;
}

/**
 * Makes an error fit for a client. Errors with a code for clients (`UNAUTHENTICATED`, `FORBIDDEN`,
 * `BAD_USER_INPUT`, `NOT_FOUND`) pass, and so do GraphQL's own about the request (syntax, validation,
 * variables, arguments). Every other becomes "Internal server error" with the code `INTERNAL_SERVER_ERROR`,
 * at the same path.
 *
 * @example
 * const errors = result.errors?.map((error) => maskGraphQLError(error, { onInternal: console.error }));
 */
export function maskGraphQLError(error: unknown, options: MaskGraphQLErrorOptions = {}): GraphQLError {
  if (error instanceof GraphQLError && (isAboutRequest(error) || hasPublicCode(error))) return error;
  const at = error instanceof GraphQLError ? error : undefined;
  options.onInternal?.(at?.originalError ?? error);
  return new GraphQLError('Internal server error', {
    nodes: at?.nodes ?? null,
    path: at?.path ?? null,
    extensions: { code: 'INTERNAL_SERVER_ERROR' },
  });
}

function hasPublicCode({ extensions }: GraphQLError): boolean {
  return Object.hasOwn(extensions, 'code') && PUBLIC_CODES.has(extensions.code);
}

/** An error without a path arose before execution; one that points into the document, in reading an argument. */
function isAboutRequest({ path, originalError }: GraphQLError): boolean {
  return path === undefined || (originalError instanceof GraphQLError && originalError.nodes !== undefined);
}
