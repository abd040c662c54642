export { type AuthorizationServer, createAuthorizationServer } from './authorization-server.ts';
export type { Client, ClientMetadata, GrantType, TokenEndpointAuthMethod } from './client-metadata.ts';
export { type ClientRegistry, createClientRegistry } from './client-registry.ts';
export type { CodeRecord, CodeState, CodeStore, TakenCode } from './code-store.ts';
export type { ConsentControl, PublicConsent } from './consent-control.ts';
export { type ConsentRoutes, consentRoutes } from './consent-routes.ts';
export type { ConsentRecord, ConsentStore } from './consent-store.ts';
export type { ActiveIntrospection, Introspection } from './describe-token.ts';
export { createDpopVerifier, type DpopVerifierOptions } from './dpop.ts';
export { type Html, type HtmlValue, html } from './html.ts';
export type { Introspect, IntrospectOptions } from './introspection.ts';
export type {
  ConsentView,
  ErrorView,
  LoginView,
  Page,
  PageForm,
  PageProblem,
  PageView,
  RenderPage,
  SecondFactorView,
} from './page.ts';
export type { DpopResult, DpopSubject, DpopVerifier } from './parts.ts';
export { type ProtectedResourceOptions, protectedResourceRoutes, resourceMetadataUrl } from './protected-resource.ts';
export { renderPage } from './render-page.ts';
export type { Revoke, RevokeOptions } from './revocation.ts';
export type { AuthorizationServerOptions, OAuthAccounts } from './settings.ts';
