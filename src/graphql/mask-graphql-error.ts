import { GraphQLError, Kind } from 'graphql';
import { isDoorwardError } from '../core/index.ts';
import { insufficientLogin, notAuthenticated } from './enforce/denial.ts';

const PUBLIC_CODES: ReadonlySet<unknown> = new Set(['UNAUTHENTICATED', 'FORBIDDEN', 'BAD_USER_INPUT', 'NOT_FOUND']);

export interface MaskGraphQLErrorOptions {
  /** Gets the original of every error that is masked; log it. */
  readonly onInternal?: (error: unknown) => void;
}

/**
 * Makes an error fit for a client, with a code. Errors that have one for clients (`UNAUTHENTICATED`, `FORBIDDEN`,
 * `BAD_USER_INPUT`, `NOT_FOUND`) pass; GraphQL's own about the request (syntax, validation, variables,
 * arguments) keep their text under `BAD_USER_INPUT`. Every other becomes "Internal server error" with the code
 * `INTERNAL_SERVER_ERROR`, at the same path; what `requireRecentAuth` and `requireFactor` throw says the same as
 * `@auth(maxAge, acr)`.
 *
 * @example
 * const errors = result.errors?.map((error) => maskGraphQLError(error, { onInternal: console.error }));
 */
export function maskGraphQLError(error: unknown, options: MaskGraphQLErrorOptions = {}): GraphQLError {
  if (error instanceof GraphQLError && hasPublicCode(error)) return error;
  if (error instanceof GraphQLError && isAboutRequest(error)) return coded(error.message, error, 'BAD_USER_INPUT');
  const at = error instanceof GraphQLError ? error : undefined;
  const original = at?.originalError ?? error;
  if (isDoorwardError(original) && original.code === 'AUTH_NOT_AUTHENTICATED') return placed(notAuthenticated(), at);
  if (isDoorwardError(original) && original.code === 'AUTH_REAUTHENTICATION_REQUIRED') {
    return placed(insufficientLogin(original.stepUp), at);
  }
  options.onInternal?.(original);
  return coded('Internal server error', at, 'INTERNAL_SERVER_ERROR');
}

function coded(message: string, at: GraphQLError | undefined, code: string): GraphQLError {
  return placed(new GraphQLError(message, { extensions: { code } }), at);
}

/** An error at the place of another in the document and the result. */
function placed({ message, extensions }: GraphQLError, at: GraphQLError | undefined): GraphQLError {
  const { nodes, source, positions, path } = at ?? {};
  return new GraphQLError(message, {
    nodes: nodes ?? null,
    source: source ?? null,
    positions: positions ?? null,
    path: path ?? null,
    extensions,
  });
}

/** Errors of executors that compile queries may have no extensions at all. */
function hasPublicCode({ extensions }: { readonly extensions?: Readonly<Record<string, unknown>> | null }): boolean {
  return Object.hasOwn(Object(extensions), 'code') && PUBLIC_CODES.has(extensions?.code);
}

/**
 * An error without a path arose before execution, unless it wraps another, as hosts and executors wrap a failing
 * stream. One that wraps another and points at a variable, a value or a directive arose in reading these; one that
 * points at a field or at the whole operation is about what ran, and the executor prints that into the message.
 */
function isAboutRequest({ path, nodes: at, originalError }: GraphQLError): boolean {
  if (path === undefined && originalError === undefined) return true;
  const located = originalError instanceof GraphQLError ? originalError.nodes : undefined;
  const nodes = path === undefined ? at : located;
  return nodes?.every(({ kind }) => kind !== Kind.FIELD && kind !== Kind.OPERATION_DEFINITION) ?? false;
}
