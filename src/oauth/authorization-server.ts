import type { Authenticator } from '../core/index.ts';
import { createRouter, type Handler, type Routes } from '../http/index.ts';
import { createAuthorizeEndpoint } from './authorize/authorize-endpoint.ts';
import { createAuthenticateClient } from './clients/client-authentication.ts';
import { type ConsentControl, createConsentControl } from './consents/consent-control.ts';
import { createDpopVerifier } from './dpop/dpop.ts';
import { ENDPOINT_PATHS, pathOf } from './endpoints.ts';
import { withCors } from './metadata/cors.ts';
import { metadataRoutes } from './metadata/metadata.ts';
import type { AuthorizationServerOptions } from './options.ts';
import { createAuthenticate } from './resource/authenticate.ts';
import { createFindAccessToken } from './resource/find-access-token.ts';
import { createIntrospection, type Introspect } from './resource/introspection.ts';
import { createRevocation, type Revoke } from './resource/revocation.ts';
import { createUserinfo } from './resource/userinfo.ts';
import { readSettings } from './settings.ts';
import { createTokenEndpoint } from './token/token-endpoint.ts';

/** An OAuth 2.0 and OpenID Connect server, and the resource server's side of it. */
export interface AuthorizationServer {
  readonly issuer: string;
  /** All endpoints as one handler. */
  readonly handler: Handler;
  /** All endpoints for the table of a router. */
  readonly routes: Routes;
  /**
   * Turns an access token of this server, for its `resource`, into a principal: the account's with the scopes of
   * the token, or the client's that acts for itself.
   *
   * @throws `SERVICE_UNAVAILABLE`
   */
  readonly authenticate: Authenticator;
  /** Tells whether one of this server's keys signed a text as an access token, whatever else is wrong with it. */
  readonly recognises: (token: string) => boolean;
  /** What `/oauth/introspect` answers, in process (RFC 7662). */
  readonly introspect: Introspect;
  /** What `/oauth/revoke` does, in process (RFC 7009). */
  readonly revoke: Revoke;
  /** What people have consented to. */
  readonly consents: ConsentControl;
}

/**
 * Makes an authorization server (RFC 6749 as RFC 9700 leaves it, OpenID Connect Core): code with PKCE, refresh and
 * client credentials, nothing else.
 *
 * @throws `CONFIG_INVALID` when an option cannot be meant.
 * @example
 * const server = createAuthorizationServer({
 *   issuer: 'https://login.example.org',
 *   accounts,
 *   clients: createClientRegistry(registrations),
 *   codes: createMemoryCodeStore(),
 *   consents: createMemoryConsentStore(),
 *   once: createMemoryOnceStore(),
 *   limits,
 *   keys: keyring,
 *   secret,
 *   scopes: { create: 'Create posts in your name' },
 *   resource: 'https://api.example.org',
 * });
 * const handler = createRouter({ ...server.routes, 'GET /health': () => json(200, { status: 'ok' }) });
 */
export function createAuthorizationServer(options: AuthorizationServerOptions): AuthorizationServer {
  const settings = readSettings(options);
  const { issuer, clock, storeTimeoutMs } = settings;
  // The store itself: the verifier puts its own deadline on it.
  const dpop = createDpopVerifier({ once: options.once, clock, storeTimeoutMs });
  const authenticateClient = createAuthenticateClient(settings);
  const findAccessToken = createFindAccessToken(settings);
  const { authenticate, recognises } = createAuthenticate(settings, { findAccessToken, dpop });
  const authorize = createAuthorizeEndpoint(settings);
  const introspection = createIntrospection(settings, { authenticateClient, findAccessToken });
  const revocation = createRevocation(settings, { authenticateClient });
  const userinfo = createUserinfo(settings, { findAccessToken, dpop });
  const at = pathOf(issuer);
  const routes: Routes = Object.freeze({
    [`GET ${at}${ENDPOINT_PATHS.authorize}`]: authorize.get,
    [`POST ${at}${ENDPOINT_PATHS.authorize}`]: authorize.post,
    [`POST ${at}${ENDPOINT_PATHS.introspect}`]: introspection.endpoint,
    ...withCors({
      [`POST ${at}${ENDPOINT_PATHS.token}`]: createTokenEndpoint(settings, { authenticateClient, dpop }),
      [`POST ${at}${ENDPOINT_PATHS.revoke}`]: revocation.endpoint,
      [`GET ${at}${ENDPOINT_PATHS.userinfo}`]: userinfo,
      [`POST ${at}${ENDPOINT_PATHS.userinfo}`]: userinfo,
    }),
    ...metadataRoutes(settings),
  });
  return Object.freeze({
    issuer,
    handler: createRouter(routes, { onError: settings.onError }),
    routes,
    authenticate,
    recognises,
    introspect: introspection.introspect,
    revoke: revocation.revoke,
    consents: createConsentControl(settings),
  });
}
