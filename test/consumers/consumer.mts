import { anyOf, type Decision, type Principal } from 'doorward';
import { contractPolicy, createPolicyEngine } from 'doorward/abac';
import { type Accounts, createAccounts } from 'doorward/accounts';
import { type AuthContext, protectSchema } from 'doorward/graphql';
import { createRouter, json } from 'doorward/http';
import { type ClientRegistry, createClientRegistry } from 'doorward/oauth';
import { createOAuthClient } from 'doorward/oauth/client';
import { createOpaClient } from 'doorward/opa';
import { createBcryptHasher } from 'doorward/passwords';
import { contractRoles, defineRoles } from 'doorward/rbac';
import { createMemoryAccountStore, createMemoryRateLimitStore, createMemorySessionStore } from 'doorward/stores/memory';
import { createSqlAccountStore } from 'doorward/stores/sql';
import { createTokenIssuer, createTokenVerifier, secretKey } from 'doorward/tokens';
import { createGraphQLSockets } from 'doorward/use/graphql-ws';
import { serve } from 'doorward/use/node';
import { buildSchema } from 'graphql';

const key = secretKey('kE2v9pXr7QmZt4Ls8WnYb3Hd6Jc1Gf5A');
export const accounts: Accounts = createAccounts({
  store: createMemoryAccountStore(),
  limits: createMemoryRateLimitStore(),
  sessions: createMemorySessionStore(),
  hasher: createBcryptHasher(),
  issuer: createTokenIssuer({ key }),
  verifier: createTokenVerifier({ keys: [key] }),
  roles: contractRoles.roles,
});
const principal: Principal = { id: 'u1', roles: ['viewer'], attributes: {} };
const request = {
  subject: principal,
  action: 'read',
  resource: { type: 'post', attributes: {} },
  environment: { time: 0 },
};
export const decision: Decision | Promise<Decision> = anyOf(contractRoles, createPolicyEngine(contractPolicy)).decide(
  request,
);
// @ts-expect-error a decision may be a promise, so a forgotten await does not compile
export const allowed: boolean = decision.allowed;
// @ts-expect-error an unknown permission does not compile
defineRoles({ viewer: ['read'] }).can(['viewer'], 'reed');
export const auth: AuthContext = { principal, environment: () => ({ time: 0 }) };
export const schema = protectSchema(buildSchema('type Query { a: Int }'), { pdp: contractRoles });
export const parts = [createOpaClient, createSqlAccountStore, createGraphQLSockets, serve, createRouter, json] as const;
const spa = { client_id: 'spa', redirect_uris: ['https://app.example.org/callback'], scope: 'openid' };
export const clients: ClientRegistry = createClientRegistry([{ ...spa, token_endpoint_auth_method: 'none' }]);
// @ts-expect-error an unknown way to authenticate does not compile
export const registerBadly = () => createClientRegistry([{ ...spa, token_endpoint_auth_method: 'magic' }]);
export const client = createOAuthClient({
  issuer: 'https://login.example.org',
  clientId: 'spa',
  redirectUri: 'https://app.example.org/callback',
});
// @ts-expect-error the key of a token is no any
export const notAny: number = key.verify;
