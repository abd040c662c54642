import { makeExecutableSchema } from '@graphql-tools/schema';
import { environmentSource } from 'doorward';
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
const stores = {
  store: createMemoryAccountStore(),
  limits: createMemoryRateLimitStore(),
  sessions: createMemorySessionStore(),
};
const tokens = { issuer: createTokenIssuer({ key }), verifier: createTokenVerifier({ keys: [key] }) };
const accounts = createAccounts({ ...stores, ...tokens, hasher: createBcryptHasher(), roles: contractRoles.roles });
const gate = createGate({ authenticate: accounts.authenticate, pdp: contractRoles, environment: environmentSource() });
const typeDefs = `type Query { hello: String, secret: String @auth(permissions: ["read"]), vault: String @auth(requires: "admin") }`;
const resolvers = { Query: { hello: () => 'world', secret: () => 'for readers', vault: () => 'for admins' } };
const schema = protectSchema(makeExecutableSchema({ typeDefs: [authDirectives(), typeDefs], resolvers }), {
  pdp: contractRoles,
});
const graphql = gate.optional((request, _info, { principal, environment }) =>
  createHandler({ schema, context: () => ({ auth: { principal, environment: () => environment } }) })(request),
);
const { url } = await serve(createRouter({ ...accountRoutes(accounts, gate), 'POST /graphql': graphql }));
const ada = { username: 'ada', password: 'a good passphrase', email: 'ada@example.org' };
await accounts.register(ada);
console.log(url, (await accounts.login(ada)).accessToken);
