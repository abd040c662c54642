import { type DocumentNode, type ExecutionArgs, GraphQLError } from 'graphql';
import type { SubscribePayload } from 'graphql-ws';
import { type Principal, principalFrom } from '../../core/index.ts';
import type { AuthContext } from '../../graphql/index.ts';
import type { Client, Login } from './client.ts';
import { callerOf, type Settings } from './options.ts';
import { wrapped } from './wrapped-error.ts';

/** What starts an operation: its arguments, or why it may not start, not yet masked. */
export type Prepared = ExecutionArgs | readonly GraphQLError[];

/** Prepares the operations of all sockets. */
export interface Operations {
  /** Admits an operation, before anything is awaited, and prepares it. */
  start(client: Client, id: string, payload: SubscribePayload): Promise<Prepared> | Prepared;
}

const FORBIDDEN = 4403;
const SUBSCRIBER_ALREADY_EXISTS = 4409;
const TOO_MANY_REQUESTS = 4429;
const REFUSALS = 9;

export function createOperations(settings: Settings): Operations {
  const { schema, authenticate, environment, context, parse, validate, limits } = settings;

  /** Authenticates a socket's token anew. A refusal ends the socket; not knowing is an error and ends nothing else. */
  async function renew(client: Client, { token, principalId }: Login): Promise<Principal | undefined> {
    const principal = principalFrom(await authenticate(token, callerOf(client.caller)));
    if (principal?.id === principalId) return client.isEnded() ? undefined : principal;
    client.end(FORBIDDEN, 'Forbidden');
    return undefined;
  }

  /** Every operation has an identity of its own: what is remembered by it is not shared. */
  async function authOf(client: Client): Promise<AuthContext> {
    const { ip, requestId, request } = client.caller;
    const userAgent = request.headers['user-agent'];
    const facts = { ...(ip !== undefined && { ip }), ...(userAgent !== undefined && { userAgent }) };
    const { login } = client;
    const auth = { principal: undefined, environment: () => environment(facts), requestId };
    if (login === undefined) return auth;
    return { ...auth, principal: await renew(client, login), reauthenticate: () => renew(client, login) };
  }

  async function prepare(client: Client, payload: SubscribePayload): Promise<Prepared> {
    try {
      const auth = await authOf(client);
      if (client.isEnded()) return [notAuthenticated()];
      const document = read(payload.query);
      if (isErrors(document)) return document;
      const contextValue = { ...(await context?.(auth, client.caller)), auth };
      // A mutation must not run for somebody who was shut out while it was waited.
      if (client.isEnded()) return [notAuthenticated()];
      return {
        schema,
        document,
        operationName: payload.operationName ?? null,
        variableValues: payload.variables ?? null,
        contextValue,
      };
    } catch (error) {
      return [wrapped(error)];
    }
  }

  /** The GraphQL errors of parsing and validating are about the request; those of everything else are not. */
  function read(query: string): DocumentNode | readonly GraphQLError[] {
    try {
      const document = parse(query);
      const errors = validate(schema, document);
      return errors.length > 0 ? errors : document;
    } catch (error) {
      if (error instanceof GraphQLError) return [error];
      throw error;
    }
  }

  return {
    start(client, id, payload) {
      if (client.live.has(id)) {
        // Completed, but not yet ended: the protocol would lose track of one of the two.
        client.end(SUBSCRIBER_ALREADY_EXISTS, 'Subscriber already exists');
        return [notAuthenticated()];
      }
      if (client.live.size < limits.operations) {
        client.admit(id);
        client.refused = 0;
        return prepare(client, payload);
      }
      client.refused += 1;
      if (client.refused >= REFUSALS * limits.operations) client.end(TOO_MANY_REQUESTS, 'Too many operations');
      return [new GraphQLError('Too many operations', { extensions: { code: 'BAD_USER_INPUT' } })];
    },
  };
}

function isErrors(value: DocumentNode | readonly GraphQLError[]): value is readonly GraphQLError[] {
  return Array.isArray(value);
}

function notAuthenticated(): GraphQLError {
  return new GraphQLError('Not authenticated', { extensions: { code: 'UNAUTHENTICATED' } });
}
