export { type AuthorizationServer, createAuthorizationServer } from './authorization-server.ts';
export type { Client, ClientMetadata, GrantType, TokenEndpointAuthMethod } from './clients/client-metadata.ts';
export { type ClientRegistry, createClientRegistry } from './clients/client-registry.ts';
export type { CodeRecord, CodeState, CodeStore, TakenCode } from './codes/code-store.ts';
export type { ConsentControl, PublicConsent } from './consents/consent-control.ts';
export { type ConsentRoutes, consentRoutes } from './consents/consent-routes.ts';
export type { ConsentRecord, ConsentStore } from './consents/consent-store.ts';
export { createDpopVerifier, type DpopVerifierOptions } from './dpop/dpop.ts';
export {
  type ProtectedResourceOptions,
  protectedResourceRoutes,
  resourceMetadataUrl,
} from './metadata/protected-resource.ts';
export type { AuthorizationServerOptions, OAuthAccounts } from './options.ts';
export { type Html, type HtmlValue, html } from './pages/html.ts';
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
} from './pages/page.ts';
export { renderPage } from './pages/render-page.ts';
export type { DpopResult, DpopSubject, DpopVerifier } from './parts.ts';
export type { ActiveIntrospection, Introspection } from './resource/describe-token.ts';
export type { Introspect, IntrospectOptions } from './resource/introspection.ts';
export type { Revoke, RevokeOptions } from './resource/revocation.ts';
