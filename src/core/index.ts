export type { AccessRequest, Environment, Resource } from './access-request.ts';
export { type Authentication, type Authenticator, type CallerAuthenticator, principalFrom } from './authentication.ts';
export type { Caller, ClientCertificate, DpopPresentation } from './caller.ts';
export { type Clock, systemClock } from './clock.ts';
export { allOf, anyOf } from './combine.ts';
export { withDeadline } from './deadline.ts';
export {
  allow,
  type Decision,
  deny,
  type Effect,
  isIndeterminate,
  type ReasonCode,
  type RuleTrace,
  type Trace,
  type TracedAttribute,
} from './decision.ts';
export { type Denial, denialOf } from './denial.ts';
export { type EnvironmentOptions, type EnvironmentSource, environmentSource } from './environment.ts';
export {
  DoorwardError,
  type ErrorCode,
  type ErrorDetails,
  type ErrorEntry,
  errorCatalogue,
  isDoorwardError,
  type StepUp,
} from './errors.ts';
export {
  AUDIT_CHANNEL,
  type AuditEvent,
  DECISION_CHANNEL,
  type DecisionEvent,
  type FactorKind,
  type LoginFailure,
  type Origin,
  publishAudit,
  publishDecision,
  type SessionEnd,
} from './events.ts';
export { isPromise, type MaybePromise } from './maybe-promise.ts';
export { isScopeGranted, type NarrowByScopesOptions, narrowByScopes } from './narrow-by-scopes.ts';
export type { OnceStore } from './once-store.ts';
export {
  ask,
  askAll,
  type DecideOptions,
  type PolicyDecisionPoint,
  type SyncPolicyDecisionPoint,
  type Vocabulary,
} from './policy-decision-point.ts';
export type { Attributes, Principal, Session, Subject } from './principal.ts';
export { type Divergence, type ShadowOptions, shadow } from './shadow.ts';
export { requireFactor, requireRecentAuth, type StepUpPlace } from './step-up.ts';
export { withFallback } from './with-fallback.ts';
