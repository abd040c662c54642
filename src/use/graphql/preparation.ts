import {
  type DocumentNode,
  type ExecutionArgs,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  parse,
  validate,
} from 'graphql';
import type { MaybePromise } from '../../core/index.ts';
import type { AuthContext } from '../../graphql/index.ts';
import { wrapped } from './wrapped-error.ts';

/** What an operation is, as a client asks for it. */
export interface OperationPayload {
  readonly query: string;
  readonly operationName?: string | null | undefined;
  readonly variables?: { readonly [name: string]: unknown } | null | undefined;
}

/** What starts an operation: its arguments, or why it may not start, not yet masked. */
export type Prepared = ExecutionArgs | readonly GraphQLError[];

export interface PreparationOptions<Caller> {
  readonly schema: GraphQLSchema;
  readonly parse?: ((source: string) => DocumentNode) | undefined;
  readonly validate?: ((schema: GraphQLSchema, document: DocumentNode) => readonly GraphQLError[]) | undefined;
  readonly context?: ((auth: AuthContext, caller: Caller) => MaybePromise<object>) | undefined;
}

/** Reads, validates and gives a context to an operation whose caller is known; never rejects. */
export type Prepare<Caller> = (auth: AuthContext, payload: OperationPayload, caller: Caller) => Promise<Prepared>;

const MAX_TOKENS = 5_000;

export function createPreparation<Caller>(options: PreparationOptions<Caller>): Prepare<Caller> {
  const { schema, context } = options;
  const parseDocument = options.parse ?? ((source: string) => parse(source, { maxTokens: MAX_TOKENS }));
  const validateDocument = options.validate ?? validate;

  /** The GraphQL errors of parsing and validating are about the request; those of everything else are not. */
  function read({ query, operationName }: OperationPayload): DocumentNode | readonly GraphQLError[] {
    try {
      const document = parseDocument(query);
      const errors = validateDocument(schema, document);
      if (errors.length > 0) return errors;
      return getOperationAST(document, operationName) ? document : [new GraphQLError('Unable to identify operation')];
    } catch (error) {
      if (error instanceof GraphQLError) return [error];
      throw error;
    }
  }

  return async (auth, payload, caller) => {
    try {
      const document = read(payload);
      if (isErrors(document)) return document;
      return {
        schema,
        document,
        operationName: payload.operationName ?? null,
        variableValues: payload.variables ?? null,
        contextValue: { ...(await context?.(auth, caller)), auth },
      };
    } catch (error) {
      return [wrapped(error)];
    }
  };
}

export function isErrors(value: object): value is readonly GraphQLError[] {
  return Array.isArray(value);
}
