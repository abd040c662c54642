import { GraphQLError } from 'graphql';
import type { SubscribePayload } from 'graphql-ws';
import { DoorwardError } from '../../core/index.ts';
import { isRefusal, type OperationAuth } from '../graphql/operation-auth.ts';
import { createPreparation, type Prepared } from '../graphql/preparation.ts';
import { wrapped } from '../graphql/wrapped-error.ts';
import { endWithLogin } from './connect.ts';
import { callerOf, type Settings } from './options.ts';
import type { Visitor } from './visitor.ts';

/** Prepares the operations of all sockets. */
export interface Operations {
  /** Admits an operation, before anything is awaited, and prepares it. */
  start(client: Visitor, id: string, payload: SubscribePayload): Promise<Prepared> | Prepared;
}

const FORBIDDEN = 4403;
const SUBSCRIBER_ALREADY_EXISTS = 4409;
const TOO_MANY_REQUESTS = 4429;
const REFUSALS = 9;

export function createOperations(settings: Settings, operationAuth: OperationAuth): Operations {
  const { limits } = settings;
  const prepare = createPreparation(settings);

  /** Authenticates a socket's token anew. A refusal ends the socket; not knowing is an error and ends nothing else. */
  async function enter(client: Visitor, id: string, payload: SubscribePayload): Promise<Prepared> {
    const entered = await operationAuth.enter(client.presented, callerOf(client.caller));
    if (isRefusal(entered)) {
      if (entered.status === 503) return [wrapped(new DoorwardError('SERVICE_UNAVAILABLE'))];
      client.end(FORBIDDEN, 'Forbidden');
      return [notAuthenticated()];
    }
    if (!client.hold(entered, id)) return [notAuthenticated()];
    const { auth } = entered;
    if (auth.principal?.id !== client.principalId) {
      client.end(FORBIDDEN, 'Forbidden');
      return [notAuthenticated()];
    }
    if (auth.principal !== undefined) endWithLogin(client, entered);
    const prepared = await prepare(auth, payload, client.caller);
    // A mutation must not run for somebody who was shut out while it was waited.
    return client.isEnded() ? [notAuthenticated()] : prepared;
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
        return enter(client, id, payload);
      }
      client.refused += 1;
      if (client.refused >= REFUSALS * limits.operations) client.end(TOO_MANY_REQUESTS, 'Too many operations');
      return [new GraphQLError('Too many operations', { extensions: { code: 'BAD_USER_INPUT' } })];
    },
  };
}

/** The answer to an operation of a socket that is closed, or about to be. */
export function notAuthenticated(): GraphQLError {
  return new GraphQLError('Not authenticated', { extensions: { code: 'UNAUTHENTICATED' } });
}
