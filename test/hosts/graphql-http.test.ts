import { once } from 'node:events';
import { createServer } from 'node:http';
import { maskGraphQLError } from 'doorward/graphql';
import { bodyLimits, createGate, createRouter, type Handler, limitBody } from 'doorward/http';
import { contractRoles } from 'doorward/rbac';
import { serve, toNodeListener } from 'doorward/use/node';
import express from 'express';
import { GraphQLError } from 'graphql';
import { createHandler } from 'graphql-http/lib/use/fetch';
import { audits } from './audits.ts';
import { behaves, type Host, type RunningHost } from './behaviour.ts';
import { takesSockets } from './sockets.ts';
import { closing, type World } from './support.ts';

/** The recipe: a gate in front of graphql-http, which makes the context. */
function graphqlHandler({ schema, authenticate, environment, onError }: World): Handler {
  const gate = createGate({ authenticate, pdp: contractRoles, environment });
  const formatError = (error: Error | GraphQLError): GraphQLError =>
    error instanceof GraphQLError
      ? maskGraphQLError(error, { onInternal: onError })
      : new GraphQLError(error.message, { extensions: { code: 'BAD_USER_INPUT' } });
  const graphql = gate.optional(async (request, { requestId }, { principal, environment: moment }) => {
    const context = () => ({ auth: { principal, environment: () => moment, requestId } });
    const answer = createHandler({ schema, context, formatError });
    return answer(await limitBody(request, bodyLimits.graphql));
  });
  return createRouter({ 'GET /graphql': graphql, 'POST /graphql': graphql }, { onError: (error) => onError(error) });
}

async function startOnNode(world: World): Promise<RunningHost> {
  const { url, server, close } = await serve(graphqlHandler(world));
  return { server, url: `${url}/graphql`, close: () => close(0) };
}

async function startOnExpress(world: World): Promise<RunningHost> {
  const app = express();
  app.all('/graphql', toNodeListener(graphqlHandler(world)));
  const server = createServer(app);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return closing(server);
}

const pinned: Host['pinned'] = {
  // graphql-http reads no content type of a GET. Without cookies a page of another site gets what anybody gets.
  getAsText: 200,
  mutationByGet: 405,
  postAsText: 415,
  batch: 400,
  badJson: 400,
  noQuery: 400,
  syntax: 400,
  unknownField: 400,
  // To graphql-http whatever was executed is a result, and variables are read by the executor.
  badVariable: 200,
};

for (const host of [
  { name: 'graphql-http on node:http', start: startOnNode, makesOwnContext: true, pinned },
  { name: 'graphql-http on Express', start: startOnExpress, makesOwnContext: true, pinned },
]) {
  behaves(host);
  audits(host);
  takesSockets(host);
}
