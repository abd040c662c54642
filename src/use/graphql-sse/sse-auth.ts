import {
  type DocumentNode,
  type ExecutionArgs,
  execute,
  type GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  subscribe,
  validate,
} from 'graphql';
import type { ExecutionResult, HandlerOptions, OperationResult, Response } from 'graphql-sse';
import { configInvalid } from '../../core/config-invalid.ts';
import { isPromise } from '../../core/index.ts';
import { maskGraphQLError } from '../../graphql/index.ts';
import { endingStream } from '../graphql/ending-stream.ts';
import { createHostEntrance, type HostAuth, type HostAuthOptions } from '../graphql/host-auth.ts';
import { type Entered, isRefusal } from '../graphql/operation-auth.ts';
import { createPreparation, isErrors, type PreparationOptions } from '../graphql/preparation.ts';
import { notGood, type Refusal } from '../graphql/refusal.ts';
import { createToldErrors } from '../graphql/told-errors.ts';
import { wrapped } from '../graphql/wrapped-error.ts';
import { enterRequest, type SseRequest } from './enter-request.ts';
import { surviving } from './surviving.ts';

export interface SseAuthOptions extends HostAuthOptions, PreparationOptions<SseRequest> {
  /** Executed as it is; protect it first. */
  readonly schema: GraphQLSchema;
  /** @default `execute` of graphql */
  readonly execute?: (args: ExecutionArgs) => OperationResult;
  /** @default `subscribe` of graphql */
  readonly subscribe?: (args: ExecutionArgs) => OperationResult;
  /** Makes an error fit for a client. @default `maskGraphQLError`, with `onError` for what it masks */
  readonly maskError?: (error: unknown) => GraphQLError;
}

/** The context of an operation. */
export type SseContext = Record<PropertyKey, unknown>;

type Hooks = HandlerOptions<unknown, unknown, SseContext>;
type HookName = 'validate' | 'execute' | 'subscribe' | 'authenticate' | 'onSubscribe' | 'onOperation' | 'onNext';

/** The options of `createHandler` that are set. */
export type SseAuthHooks = { readonly [Name in HookName]: NonNullable<Hooks[Name]> };

/** What `createHandler` of graphql-sse takes. */
export interface SseAuth extends SseAuthHooks, HostAuth {}

type Item = ExecutionResult;

/**
 * Makes the hooks with which graphql-sse serves a protected schema over server-sent events, one request for each
 * operation: the token comes in the header `Authorization`, a token that is not good is 401, and a stream ends when
 * the token ends or is revoked. The single connection mode is off: what it takes for a token is one of its own.
 *
 * @throws `CONFIG_INVALID` when an option is missing, unknown or cannot be meant.
 * @example
 * const auth = sseAuth({ schema, authenticate: accounts.authenticate });
 * const handler = createHandler({ schema, ...auth });
 */
export function sseAuth(options: SseAuthOptions): SseAuth {
  const { schema, context, parse, validate: check, execute: run, subscribe: listen, maskError, ...host } = options;
  if (typeof schema !== 'object') throw configInvalid('schema', 'must be a schema');
  const entrance = createHostEntrance(host);
  const prepare = createPreparation<SseRequest>({ schema, context, parse, validate: check });
  const told = createToldErrors(maskError ?? ((error) => maskGraphQLError(error, { onInternal: entrance.onInternal })));
  const entered = new WeakMap<object, Entered>();
  const valid = new WeakSet<DocumentNode>();
  /** Results whose errors are fit for a client already. */
  const masked = new WeakSet<object>();

  async function start(request: SseRequest, answer: Entered, payload: Parameters<typeof prepare>[1]) {
    const prepared = await prepare(answer.auth, payload, request);
    // A mutation must not run for somebody who was shut out while it was waited.
    if (answer.auth.signal.aborted) return refused(notGood({ presented: true }));
    if (isErrors(prepared)) return streamOf({ errors: prepared });
    const { document, operationName, contextValue } = prepared;
    const { operation } = getOperationAST(document, operationName) ?? {};
    if (operation === 'mutation' && request.method !== 'POST') return NO_MUTATION;
    valid.add(document);
    entered.set(Object(contextValue), answer);
    return { ...prepared, contextValue: Object(contextValue) as SseContext };
  }

  /** What an executor throws is the result of the operation: nobody else would forget who entered. */
  function guarded(run: (args: ExecutionArgs) => OperationResult): (args: ExecutionArgs) => OperationResult {
    const failed = (error: unknown): Item => ({ errors: [wrapped(error)] });
    return (args) => {
      try {
        const result = run(args);
        return isPromise(result) ? Promise.resolve(result).catch(failed) : result;
      } catch (error) {
        return failed(error);
      }
    };
  }

  function lastWords(error: unknown): Item {
    const result = { errors: told.ofOperation([wrapped(error)]) } as unknown as Item;
    masked.add(result);
    return result;
  }

  return {
    authenticate: () => null,
    validate: (ofSchema, document) => (valid.has(document) ? [] : (check ?? validate)(ofSchema, document)),
    execute: guarded(run ?? execute),
    subscribe: guarded(listen ?? subscribe),
    async onSubscribe(request, { query, operationName, variables }) {
      const answer = await enterRequest(entrance, request);
      if (isRefusal(answer)) return refused(answer);
      const started = await start(request, answer, { query, operationName, variables });
      if (!('schema' in started)) answer.leave();
      return started;
    },
    onOperation(contextValue, _request, _args, result) {
      const { auth, leave } = entered.get(contextValue) ?? {};
      if (auth === undefined || leave === undefined) return undefined;
      if (isStream(result)) return endingStream(surviving(result, lastWords), auth.signal, leave);
      leave();
      return undefined;
    },
    onNext: (_context, _request, result) =>
      masked.has(result) ? undefined : (told.ofResult(result as Item) as Item | undefined),
    revoke: entrance.revoke,
    close: entrance.close,
  };
}

const NO_MUTATION: Response = [
  JSON.stringify({ errors: [{ message: 'Cannot perform mutations over GET' }] }),
  {
    status: 405,
    statusText: 'Method Not Allowed',
    headers: { allow: 'POST', 'content-type': 'application/json; charset=utf-8' },
  },
];

function refused({ status, headers, body }: Refusal): Response {
  const statusText = status === 401 ? 'Unauthorized' : 'Service Unavailable';
  return [JSON.stringify(body), { status, statusText, headers }];
}

async function* streamOf(item: Item): AsyncGenerator<Item> {
  yield item;
}

function isStream(result: OperationResult): result is AsyncIterable<Item> & OperationResult {
  return typeof result === 'object' && Symbol.asyncIterator in result;
}
