import { makeExecutableSchema } from '@graphql-tools/schema';
import { type Clock, environmentSource, systemClock } from 'doorward';
import { contractDecisionPolicy, contractPolicy, createPolicyEngine } from 'doorward/abac';
import { createAccounts } from 'doorward/accounts';
import { authDirectives, maskGraphQLError, protectSchema } from 'doorward/graphql';
import { accountRoutes, bodyLimits, createGate, createRouter, limitBody } from 'doorward/http';
import { createDecisionEndpoint, createOpaClient } from 'doorward/opa';
import { commonPasswords, createBcryptHasher } from 'doorward/passwords';
import { contractRoles } from 'doorward/rbac';
import { createSqlAccountStore, createSqlRateLimitStore, migrate } from 'doorward/stores/sql';
import { createTokenIssuer, createTokenVerifier } from 'doorward/tokens';
import { createGraphQLSockets } from 'doorward/use/graphql-ws';
import { serve } from 'doorward/use/node';
import type { Source } from 'graphql';
import { createHandler } from 'graphql-http/lib/use/fetch';
import { type Config, named } from './config.ts';
import { openData } from './data.ts';
import { seed } from './demo.ts';
import { graphiqlRoutes } from './graphiql.ts';
import { parseWithinLimits } from './limits.ts';
import { createLog } from './log.ts';
import { type Context, masks, policies, resolvers } from './resolvers.ts';
import { restRoutes } from './routes.ts';
import { typeDefs } from './schema.ts';

/** Puts the service together and listens. */
export async function startServer(config: Config, { clock = systemClock }: { clock?: Clock } = {}) {
  const environment = named('TIME_ZONE', () => environmentSource({ timeZone: config.timeZone, clock }));
  const opa =
    config.opaUrl === undefined ? undefined : named('OPA_URL', () => createOpaClient({ url: config.opaUrl ?? '' }));
  const { log, close: closeLog } = createLog(config.logLevel);
  const onError = (error: unknown, where: unknown) => log('error', { type: 'error', where, error: String(error) });

  const data = await openData(config.dataDir);
  await migrate(data.db);
  const store = createSqlAccountStore(data.db);
  const hasher = createBcryptHasher();
  const accounts = createAccounts({
    store,
    limits: createSqlRateLimitStore(data.db),
    hasher,
    clock,
    issuer: createTokenIssuer({ key: config.signingKey, ttlSeconds: config.accessTokenSeconds, clock }),
    verifier: createTokenVerifier({ keys: [config.signingKey], clock }),
    roles: contractRoles.roles,
    passwordRules: { forbidden: config.production ? commonPasswords() : new Set() },
    loginMaxFailures: config.loginMaxFailures,
    registerMaxPerHour: config.registerMaxPerHour,
    onRegistered: async ({ id, username, email = '' }) => void (await data.createUser(username, email, id)),
    onRevoked: (accountId) => sockets.revoke(accountId),
  });
  if (!config.production) await seed({ data, store, hasher, clock, password: config.demoPassword });

  const schema = protectSchema<Context>(makeExecutableSchema({ typeDefs: [authDirectives(), typeDefs], resolvers }), {
    pdp: contractRoles,
    policies,
    masks,
    unprotected: 'deny',
    onError,
  });
  const parse = (source: string | Source) => parseWithinLimits(source, config.introspection);
  const formatError = (error: unknown) =>
    maskGraphQLError(error, { onInternal: (cause) => onError(cause, '/graphql') });

  const gate = createGate({ authenticate: accounts.authenticate, pdp: contractRoles, environment });
  const graphql = gate.optional(async (request, { ip }, { principal }) => {
    const context: Context = {
      data,
      auth: { principal, environment: () => environment(ip === undefined ? {} : { ip }) },
    };
    return createHandler({ schema, parse, formatError, context: () => ({ ...context }) })(
      await limitBody(request, bodyLimits.graphql),
    );
  });
  const decisionEndpoint = createDecisionEndpoint({
    pdp: createPolicyEngine(contractDecisionPolicy),
    environment,
    ...(config.pdpToken !== undefined && { token: config.pdpToken }),
  });
  const handler = createRouter(
    {
      ...accountRoutes(accounts, gate),
      ...restRoutes({ gate, data, accounts, environment, documents: opa ?? createPolicyEngine(contractPolicy) }),
      'GET /graphql': graphql,
      'POST /graphql': graphql,
      ...((!config.production || config.pdpToken !== undefined) && { 'POST /v1/data/authz/allow': decisionEndpoint }),
      ...(!config.production && graphiqlRoutes(accounts)),
    },
    { onError: (error, { requestId }) => onError(error, requestId) },
  );
  const running = await serve(handler, { port: config.port, host: config.host, trustedProxies: config.trustedProxies });
  const sockets = createGraphQLSockets({
    server: running.server,
    schema,
    authenticate: accounts.authenticate,
    environment,
    clock,
    parse,
    context: (auth) => ({ auth, data }),
    formatError,
  });
  return {
    url: config.baseUrl ?? running.url,
    async close() {
      await sockets.close();
      await running.close();
      await Promise.all([hasher.close(), opa?.close(), data.close()]);
      closeLog();
    },
  };
}
