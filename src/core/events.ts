import diagnostics from 'node:diagnostics_channel';
import type { AccessRequest } from './access-request.ts';
import type { Decision } from './decision.ts';

/** What happened to an identity. Reasons stay in here; no client ever sees them. No secret, token or hash is part of an event. */
export type AuditEvent =
  | { readonly type: 'account.registered'; readonly accountId: string; readonly username: string; readonly ip?: string }
  | { readonly type: 'account.updated'; readonly accountId: string; readonly fields: readonly string[] }
  | { readonly type: 'account.removed'; readonly accountId: string }
  | { readonly type: 'login.succeeded'; readonly accountId: string; readonly ip?: string }
  | { readonly type: 'login.failed'; readonly reason: LoginFailure; readonly accountId?: string; readonly ip?: string }
  | { readonly type: 'login.limited'; readonly scope: 'account' | 'address'; readonly ip?: string }
  | { readonly type: 'credential.corrupt'; readonly accountId: string }
  | { readonly type: 'token.refreshed'; readonly accountId: string; readonly tokenId: string }
  | { readonly type: 'token.rejected'; readonly reason: string };

export type LoginFailure = 'unknown_username' | 'wrong_password' | 'disabled' | 'credential_corrupt';

/** One decision as an enforcement point obeyed it. */
export interface DecisionEvent {
  /** Where it was enforced, for example `DELETE /api/users/{id}` or `Mutation.createPost`. */
  readonly point: string;
  readonly request: AccessRequest;
  readonly decision: Decision;
}

/** Name of the `node:diagnostics_channel` that carries every {@link DecisionEvent}. */
export const DECISION_CHANNEL = 'doorward:decision';
/** Name of the `node:diagnostics_channel` that carries every {@link AuditEvent}. */
export const AUDIT_CHANNEL = 'doorward:audit';

const decisions = diagnostics.channel(DECISION_CHANNEL);
const audits = diagnostics.channel(AUDIT_CHANNEL);

/**
 * Publishes one decision to whoever listens; costs one property read when nobody does.
 *
 * @example
 * publishDecision({ point: 'GET /api/posts', request, decision });
 */
export function publishDecision(event: DecisionEvent): void {
  if (decisions.hasSubscribers) decisions.publish(event);
}

/**
 * Publishes one audit event to whoever listens.
 *
 * @example
 * publishAudit({ type: 'account.removed', accountId });
 */
export function publishAudit(event: AuditEvent): void {
  if (audits.hasSubscribers) audits.publish(event);
}
