import { type ExecutionArgs, GraphQLError } from 'graphql';
import type { SubscribePayload } from 'graphql-ws';
import type { Principal } from '../../core/index.ts';
import type { AuthContext } from '../../graphql/index.ts';
import type { Client, Login } from './client.ts';
import type { Settings } from './options.ts';
import { wrapped } from './wrapped-error.ts';

/** What starts an operation: its arguments, or why it may not start, not yet masked. */
export type Prepared = ExecutionArgs | readonly GraphQLError[];

/** Prepares the operations of all sockets. */
export interface Operations {
  /** Counts an operation and prepares it; the count is taken before anything is awaited. */
  start(client: Client, payload: SubscribePayload): Promise<Prepared> | Prepared;
}

const FORBIDDEN = 4403;
const TOO_MANY_REQUESTS = 4429;
const REFUSALS = 9;

export function createOperations(settings: Settings): Operations {
  const { schema, authenticate, environment, context, parse, validate, limits } = settings;

  /** Authenticates a socket's token anew. A refusal ends the socket; not knowing is an error and ends nothing else. */
  async function renew(client: Client, { token, principalId }: Login): Promise<Principal | undefined> {
    const answer = await authenticate(token);
    if (answer?.ok === true && answer.principal.id === principalId) {
      return client.isEnded() ? undefined : { ...answer.principal };
    }
    client.end(FORBIDDEN, 'Forbidden');
    return undefined;
  }

  /** Every operation has an identity of its own: what is remembered by it is not shared. */
  async function authOf(client: Client): Promise<AuthContext> {
    const { ip, request } = client.caller;
    const userAgent = request.headers['user-agent'];
    const facts = { ...(ip !== undefined && { ip }), ...(userAgent !== undefined && { userAgent }) };
    const { login } = client;
    const auth = { principal: undefined, environment: () => environment(facts) };
    if (login === undefined) return auth;
    return { ...auth, principal: await renew(client, login), reauthenticate: () => renew(client, login) };
  }

  async function prepare(client: Client, payload: SubscribePayload): Promise<Prepared> {
    try {
      const auth = await authOf(client);
      if (client.isEnded()) return [notAuthenticated()];
      const document = parse(payload.query);
      const errors = validate(schema, document);
      if (errors.length > 0) return errors;
      return {
        schema,
        document,
        operationName: payload.operationName ?? null,
        variableValues: payload.variables ?? null,
        contextValue: { ...(await context?.(auth, client.caller)), auth },
      };
    } catch (error) {
      return [wrapped(error)];
    }
  }

  return {
    start(client, payload) {
      if (client.live < limits.operations) {
        client.live += 1;
        client.refused = 0;
        return prepare(client, payload);
      }
      client.refused += 1;
      if (client.refused >= REFUSALS * limits.operations) client.end(TOO_MANY_REQUESTS, 'Too many operations');
      return [new GraphQLError('Too many operations', { extensions: { code: 'BAD_USER_INPUT' } })];
    },
  };
}

function notAuthenticated(): GraphQLError {
  return new GraphQLError('Not authenticated', { extensions: { code: 'UNAUTHENTICATED' } });
}
