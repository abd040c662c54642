export { type AccountRoutes, accountRoutes, type RoutedAccounts } from './account-routes.ts';
export { type ApiKeyRoutes, apiKeyRoutes } from './api-key-routes.ts';
export { type Bearer, readBearer } from './bearer.ts';
export { bodyLimits, limitBody, type ReadJsonOptions, readForm, readJson } from './body.ts';
export { RECENT_LOGIN_SECONDS } from './by-owner.ts';
export type { TokenScheme } from './challenge.ts';
export type { ChangingFactorsOptions } from './changing-factors.ts';
export { createGate, type Gate } from './gate.ts';
export type {
  Access,
  AuthenticatedOptions,
  DecisionOptions,
  GatedHandler,
  GateOptions,
  GatePolicy,
  GuardedHandler,
  OptionalAccess,
  ResourceAccess,
} from './gate-options.ts';
export type { ErrorListener, Handler, RequestInfo } from './handler.ts';
export { type PasskeyRoutes, type PasskeyRoutesOptions, passkeyRoutes } from './passkey-routes.ts';
export { type BodyKey, type ErrorResponseOptions, errorResponse, json } from './responses.ts';
export type { Params, Route, RouteHandler, Routes } from './route.ts';
export { createRouter, type RouterOptions } from './router.ts';
export { type SessionAccounts, type SessionRoutes, sessionRoutes } from './session-routes.ts';
export { type TotpRoutes, type TotpRoutesOptions, totpRoutes } from './totp-routes.ts';
