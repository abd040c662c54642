import { makeExecutableSchema } from '@graphql-tools/schema';
import { createAccounts } from 'doorward/accounts';
import { authDirectives, protectSchema } from 'doorward/graphql';
import { accountRoutes, createGate, createRouter } from 'doorward/http';
import { createBcryptHasher } from 'doorward/passwords';
import { contractRoles } from 'doorward/rbac';
import { createMemoryAccountStore, createMemoryRateLimitStore, createMemorySessionStore } from 'doorward/stores/memory';
import { createTokenIssuer, createTokenVerifier, secretKey } from 'doorward/tokens';
import { serve } from 'doorward/use/node';
import { createHandler } from 'graphql-http/lib/use/fetch';

const key = secretKey('kE2v9pXr7QmZt4Ls8WnYb3Hd6Jc1Gf5A');
const store = createMemoryAccountStore();
const [limits, sessions] = [createMemoryRateLimitStore(), createMemorySessionStore()];
const tokens = { issuer: createTokenIssuer({ key }), verifier: createTokenVerifier({ keys: [key] }) };
const rules = { hasher: createBcryptHasher(), roles: contractRoles.roles };
const accounts = createAccounts({ store, limits, sessions, ...tokens, ...rules });
const gate = createGate({ authenticate: accounts.authenticate, pdp: contractRoles });
const typeDefs = `type Query { hello: String, secret: String @auth(permissions: ["read"]), vault: String @auth(requires: "admin") }`;
const resolvers = { Query: { hello: () => 'world', secret: () => 'for readers', vault: () => 'for admins' } };
const executable = makeExecutableSchema({ typeDefs: [authDirectives(), typeDefs], resolvers });
const schema = protectSchema(executable, { pdp: contractRoles });
const graphql = gate.optional((request, _info, { principal, environment }) =>
  createHandler({ schema, context: () => ({ auth: { principal, environment: () => environment } }) })(request),
);
const { url } = await serve(createRouter({ ...accountRoutes(accounts, gate), 'POST /graphql': graphql }));
const ada = { username: 'ada', password: 'a good passphrase', email: 'ada@example.org' };
await accounts.register(ada);
console.log(url, (await accounts.login(ada)).accessToken);
