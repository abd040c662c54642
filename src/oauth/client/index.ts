export type { AuthorizationRequest } from './authorization-url.ts';
export { createOAuthClient, type OAuthClient } from './oauth-client.ts';
export type { ClientAuthentication, OAuthClientOptions } from './options.ts';
export { createNonce, createPkcePair, createState, type PkcePair } from './random.ts';
export type { TokenSet } from './token-set.ts';
export type { AuthorizationRequestOptions, AuthorizationTransaction } from './transaction.ts';
