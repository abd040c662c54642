import { makeExecutableSchema } from '@graphql-tools/schema';
import { type Clock, environmentSource, systemClock } from 'doorward';
import { contractDecisionPolicy, contractPolicy, createPolicyEngine } from 'doorward/abac';
import { createAccounts } from 'doorward/accounts';
import { authDirectives, maskGraphQLError, protectSchema } from 'doorward/graphql';
import { accountRoutes, bodyLimits, createGate, createRouter, limitBody, type RequestInfo } from 'doorward/http';
import { createDecisionEndpoint } from 'doorward/opa';
import { commonPasswords, createBcryptHasher, type PasswordHasher } from 'doorward/passwords';
import { contractRoles } from 'doorward/rbac';
import { createSqlAccountStore, createSqlRateLimitStore, migrate } from 'doorward/stores/sql';
import { createTokenIssuer, createTokenVerifier } from 'doorward/tokens';
import { createGraphQLSockets } from 'doorward/use/graphql-ws';
import { serve } from 'doorward/use/node';
import { GraphQLError, type Source } from 'graphql';
import { createHandler } from 'graphql-http/lib/use/fetch';
import { openData } from '../data/data.ts';
import { seed } from '../data/demo.ts';
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
  const { clock = systemClock, hasher = createBcryptHasher() } = outside;
  const { production, OPA_URL: opa, PDP_TOKEN, TRUSTED_PROXIES: trustedProxies } = config;
  const environment = environmentSource({ timeZone: config.TIME_ZONE, clock });
  const { log, onError, close: closeLog } = createLog(config.LOG_LEVEL);
  const data = await openData(config.DATA_DIR);
  await migrate(data.db);
  const store = createSqlAccountStore(data.db);
  const accounts = createAccounts({
    store,
    hasher,
    clock,
    limits: createSqlRateLimitStore(data.db),
    issuer: createTokenIssuer({ key: config.signingKey, ttlSeconds: config.ACCESS_TOKEN_SECONDS, clock }),
    verifier: createTokenVerifier({ keys: [config.signingKey], clock }),
    roles: contractRoles.roles,
    passwordRules: { forbidden: production ? commonPasswords() : new Set() },
    loginMaxFailures: config.LOGIN_MAX_FAILURES,
    registerMaxPerHour: config.REGISTER_MAX_PER_HOUR ?? (production ? 10 : 1_000),
    onRegistered: async ({ id, username, email = '' }) => void (await data.createUser(username, email, id)),
    onRevoked: (accountId) => sockets.revoke(accountId),
  });
  if (!production) await seed({ data, store, hasher, clock, password: config.DEMO_PASSWORD });
  const schema = protectSchema<Context>(makeExecutableSchema({ typeDefs: [authDirectives(), typeDefs], resolvers }), {
    pdp: contractRoles,
    policies,
    masks,
    unprotected: 'deny',
    onError: (error) => onError(error),
  });
  const parse = (source: string | Source) => parseWithinLimits(source, config.GRAPHQL_INTROSPECTION === 'on');
  const masked = (error: unknown, info?: RequestInfo) =>
    maskGraphQLError(error, { onInternal: (cause) => onError(cause, info) });
  const refused = (error: Error) => new GraphQLError(error.message, { extensions: { code: 'BAD_USER_INPUT' } });
  const gate = createGate({ authenticate: accounts.authenticate, pdp: contractRoles, environment });
  const graphql = gate.optional(async (request, info, { principal, environment: moment }) => {
    const context = () => ({ data, auth: { principal, environment: () => moment } });
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
  const handler = createRouter(
    {
      ...accountRoutes(accounts, gate),
      ...restRoutes({ gate, data, accounts, documents: opa ?? createPolicyEngine(contractPolicy) }),
      'GET /graphql': graphql,
      'POST /graphql': graphql,
      ...(production && PDP_TOKEN === undefined ? {} : { 'POST /v1/data/authz/allow': decide }),
      ...(production ? {} : graphiqlRoutes(accounts)),
    },
    { onError },
  );
  const running = await serve(logRequests(handler, log), { port: config.PORT, host: config.HOST, trustedProxies });
  const sockets = createGraphQLSockets({
    server: running.server,
    schema,
    authenticate: accounts.authenticate,
    environment,
    parse,
    ...quiet(production),
    trustedProxies,
    allowedOrigins: config.BASE_URL === undefined ? [] : [new URL(config.BASE_URL).origin],
    context: () => ({ data }),
    maskError: (error) => (isOverLimit(error) ? refused(error) : masked(error)),
  });
  return {
    url: config.BASE_URL ?? running.url,
    async close() {
      await sockets.close();
      await running.close();
      await Promise.all([hasher.close(), opa?.close(), data.close()]);
      closeLog();
    },
  };
}
