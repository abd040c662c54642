export type { AccessRequest, Environment, Resource } from './access-request.ts';
export { type Authentication, type Authenticator, principalFrom } from './authentication.ts';
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
} from './errors.ts';
export {
  AUDIT_CHANNEL,
  type AuditEvent,
  DECISION_CHANNEL,
  type DecisionEvent,
  type LoginFailure,
  publishAudit,
  publishDecision,
} from './events.ts';
export { isPromise, type MaybePromise } from './maybe-promise.ts';
export {
  ask,
  type PolicyDecisionPoint,
  type SyncPolicyDecisionPoint,
  type Vocabulary,
} from './policy-decision-point.ts';
export type { Attributes, Principal, Session, Subject } from './principal.ts';
