import type { FormattedExecutionResult, GraphQLError, GraphQLFormattedError } from 'graphql';
import { type WithLaterParts, withToldParts } from './later-parts.ts';
import { located } from './wrapped-error.ts';

/** What an execution or one event of a stream comes to. */
export interface Result extends WithLaterParts {
  readonly data?: Record<string, unknown> | null | undefined;
  readonly errors?: readonly unknown[] | undefined;
  readonly extensions?: Record<string, unknown> | undefined;
}

/** Makes what goes out over a stream or a socket fit for its client. */
export interface ToldErrors {
  /** @returns `undefined` for a result that can have no errors, which goes out as it is. */
  ofResult(result: Result): FormattedExecutionResult | undefined;
  /** Those that ended an operation. */
  ofOperation(errors: readonly GraphQLError[]): GraphQLFormattedError[];
}

export function createToldErrors(maskError: (error: unknown) => GraphQLError): ToldErrors {
  const told = (error: unknown): GraphQLFormattedError => maskError(error).toJSON();

  /** It has the path that it was thrown with, and else none. */
  function unplaced(error: GraphQLError): GraphQLFormattedError {
    const { path, ...others } = told(located(error));
    return path === undefined || path.length === 0 ? others : { ...others, path };
  }

  return {
    ofResult(result) {
      const { errors, incremental, completed } = result;
      if (!errors && !incremental && !completed) return undefined;
      const formatted = { ...result, ...(errors && { errors: errors.map(told) }) };
      return withToldParts(formatted, told) as FormattedExecutionResult;
    },
    ofOperation: (errors) => errors.map(unplaced),
  };
}
