import { makeExecutableSchema } from '@graphql-tools/schema';
import { type Clock, environmentSource, narrowByScopes, systemClock } from 'doorward';
import { contractDecisionPolicy, contractPolicy, createPolicyEngine } from 'doorward/abac';
import { authDirectives, maskGraphQLError, protectSchema } from 'doorward/graphql';
import { bodyLimits, createGate, createRouter, limitBody, type RequestInfo } from 'doorward/http';
import { createDecisionEndpoint } from 'doorward/opa';
import type { PasswordHasher } from 'doorward/passwords';
import { contractRoles } from 'doorward/rbac';
import { createGraphQLSockets } from 'doorward/use/graphql-ws';
import { GraphQLError, type Source } from 'graphql';
import { createHandler } from 'graphql-http/lib/use/fetch';
import { openData } from '../data/data.ts';
import { firstAccounts } from '../data/demo.ts';
import { hasherOf } from '../identity/hasher.ts';
import { openIdentity } from '../identity/identity.ts';
import { identityRoutes } from '../identity/routes.ts';
import { addressesOf } from '../tools/addresses.ts';
import { graphiqlRoutes } from '../tools/graphiql.ts';
import { isOverLimit, parseWithinLimits } from '../tools/limits.ts';
import { createLog, logRequests } from '../tools/log.ts';
import { quiet } from '../tools/quiet.ts';
import type { Config } from './config.ts';
import { type Context, masks, policies, resolvers } from './resolvers.ts';
import { restRoutes } from './routes.ts';
import { typeDefs } from './schema.ts';

type Outside = { clock?: Clock; hasher?: PasswordHasher };

/** Puts the service together and listens. */
export async function startServer(config: Config, outside: Outside = {}) {
  const { clock = systemClock, hasher = hasherOf(config) } = outside;
  const { production, OPA_URL: opa, PDP_TOKEN, TRUSTED_PROXIES: trustedProxies } = config;
  const permissions = narrowByScopes(contractRoles);
  const environment = environmentSource({ timeZone: config.TIME_ZONE, clock });
  const { log, onError, close: closeLog } = createLog(config.LOG_LEVEL);
  const data = await openData(config.DATA_DIR);
  const { serveWith, ...addresses } = await addressesOf(config);
  const onRevoked = (accountId: string, sessionId?: string) => sockets.revoke(accountId, sessionId);
  const identity = await openIdentity({ config, data, hasher, clock, ...addresses, onError, onRevoked });
  const { accounts, authenticate, resourceMetadata } = identity;
  await firstAccounts({ config, store: identity.store, data, hasher, clock });
  const executable = makeExecutableSchema({ typeDefs: [authDirectives(), typeDefs], resolvers });
  const enforcement = { pdp: permissions, policies, masks, onError: (error: unknown) => onError(error) };
  const schema = protectSchema<Context>(executable, { ...enforcement, unprotected: 'deny' });
  const parse = (source: string | Source) => parseWithinLimits(source, config.GRAPHQL_INTROSPECTION === 'on');
  const masked = (error: unknown, info?: RequestInfo) =>
    maskGraphQLError(error, { onInternal: (cause) => onError(cause, info) });
  const refused = (error: Error) => new GraphQLError(error.message, { extensions: { code: 'BAD_USER_INPUT' } });
  const gate = createGate({ authenticate, pdp: permissions, environment, resourceMetadata });
  const graphql = gate.optional(async (request, info, { principal, environment: moment }) => {
    const context = () => ({ data, auth: { principal, environment: () => moment, requestId: info.requestId } });
    // What is not a GraphQLError is about the request itself, and answered with 400.
    const formatError = (error: Error) => (error instanceof GraphQLError ? masked(error, info) : refused(error));
    const answer = createHandler({ schema, parse, formatError, context, ...quiet(production) });
    const response = await answer(await limitBody(request, bodyLimits.graphql));
    response.headers.set('cache-control', 'no-store');
    response.headers.set('x-content-type-options', 'nosniff');
    return response;
  });
  const decide = createDecisionEndpoint({
    pdp: createPolicyEngine(contractDecisionPolicy(contractRoles.grants)),
    environment,
    ...(PDP_TOKEN !== undefined && { token: PDP_TOKEN }),
  });
  const router = createRouter(
    {
      ...identityRoutes(identity, gate),
      ...restRoutes({ gate, data, identity, documents: opa ?? createPolicyEngine(contractPolicy) }),
      'GET /graphql': graphql,
      'POST /graphql': graphql,
      ...(production && PDP_TOKEN === undefined ? {} : { 'POST /v1/data/authz/allow': decide }),
      ...(production ? {} : graphiqlRoutes(accounts)),
    },
    { onError },
  );
  const running = await serveWith(logRequests(router, log));
  const sockets = createGraphQLSockets({
    server: running.server,
    schema,
    authenticate,
    environment,
    parse,
    ...quiet(production),
    trustedProxies,
    allowedOrigins: config.BASE_URL === undefined ? [] : [addresses.base],
    context: () => ({ data }),
    maskError: (error) => (isOverLimit(error) ? refused(error) : masked(error)),
  });
  return {
    url: config.BASE_URL ?? running.url,
    async close() {
      await sockets.close();
      await running.close();
      identity.close();
      await Promise.all([hasher.close(), opa?.close(), data.close()]);
      await closeLog();
    },
  };
}
