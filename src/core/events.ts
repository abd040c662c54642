import diagnostics from 'node:diagnostics_channel';
import type { AccessRequest } from './access-request.ts';
import type { Caller } from './caller.ts';
import type { Decision } from './decision.ts';

/** Where something happened, as far as it is known. */
export type Origin = Pick<Caller, 'ip' | 'requestId'>;

/** What happened to an identity. Reasons stay in here; no client ever sees them. No secret, token or hash is part of an event. */
export type AuditEvent = Origin &
  (
    | { readonly type: 'account.registered'; readonly accountId: string; readonly username: string }
    | { readonly type: 'account.updated'; readonly accountId: string; readonly fields: readonly string[] }
    | { readonly type: 'account.removed'; readonly accountId: string }
    | {
        readonly type: 'login.succeeded';
        readonly accountId: string;
        readonly sessionId: string;
        readonly amr: readonly string[];
      }
    | {
        readonly type: 'login.failed';
        readonly reason: LoginFailure;
        readonly accountId?: string;
        /** HMAC of a name that nobody has: equal for equal names, and not the password that was typed into the wrong field. */
        readonly usernameDigest?: string;
      }
    | { readonly type: 'login.limited'; readonly scope: 'account' | 'address' }
    | { readonly type: 'credential.corrupt'; readonly accountId: string }
    | { readonly type: 'credential.rehashed'; readonly accountId: string }
    | { readonly type: 'password.changed'; readonly accountId: string }
    | {
        readonly type: 'token.issued';
        readonly accountId: string;
        readonly sessionId: string;
        readonly clientId?: string;
      }
    | { readonly type: 'token.refreshed'; readonly accountId: string; readonly sessionId: string }
    | { readonly type: 'token.reused'; readonly accountId: string; readonly sessionId: string }
    | { readonly type: 'token.revoked'; readonly accountId: string; readonly tokenId: string }
    | { readonly type: 'token.rejected'; readonly reason: string }
    | {
        readonly type: 'session.ended';
        readonly accountId: string;
        readonly sessionId: string;
        readonly reason: SessionEnd;
      }
    | { readonly type: 'code.issued'; readonly accountId: string; readonly clientId: string }
    | {
        readonly type: 'code.replayed';
        readonly accountId: string;
        readonly clientId: string;
        readonly sessionId: string;
      }
    | { readonly type: 'code.rejected'; readonly clientId: string; readonly reason: string }
    | { readonly type: 'client.rejected'; readonly clientId?: string; readonly reason: string }
    | { readonly type: 'proof.rejected'; readonly reason: string }
    | { readonly type: 'authorization.refused'; readonly clientId: string; readonly error: string }
    | {
        readonly type: 'consent.granted';
        readonly accountId: string;
        readonly clientId: string;
        readonly scopes: readonly string[];
      }
    | { readonly type: 'consent.revoked'; readonly accountId: string; readonly clientId: string }
    | { readonly type: 'step_up.required'; readonly accountId: string; readonly point: string }
    | { readonly type: 'factor.enrolled'; readonly accountId: string; readonly factor: FactorKind }
    | { readonly type: 'factor.removed'; readonly accountId: string; readonly factor: FactorKind }
    | {
        readonly type: 'factor.failed';
        readonly accountId?: string;
        readonly factor: FactorKind;
        readonly reason: string;
      }
    | { readonly type: 'recovery_code.used'; readonly accountId: string; readonly left: number }
    | { readonly type: 'api_key.created'; readonly accountId: string; readonly keyId: string }
    | {
        readonly type: 'api_key.replaced';
        readonly accountId: string;
        readonly keyId: string;
        readonly nextKeyId: string;
      }
    | { readonly type: 'api_key.removed'; readonly accountId: string; readonly keyId: string }
    | { readonly type: 'api_key.rejected'; readonly keyId?: string; readonly reason: string }
    | { readonly type: 'certificate.rejected'; readonly reason: string }
    | { readonly type: 'key.rotated'; readonly kid: string; readonly state: 'next' | 'active' | 'retired' | 'removed' }
    | { readonly type: 'keys.unavailable'; readonly source: string; readonly reason: string }
    | { readonly type: 'pdp.failed'; readonly source: string; readonly reason: string }
    | { readonly type: 'pdp.recovered'; readonly source: string }
    | { readonly type: 'pdp.warning'; readonly source: string; readonly reason: string }
  );

export type LoginFailure =
  | 'unknown_username'
  | 'wrong_password'
  | 'unknown_account'
  | 'disabled'
  | 'credential_corrupt'
  | 'credentials_changed'
  | 'second_factor_missing'
  | 'second_factor_wrong'
  | 'ticket_invalid';

/** Why a session ended before its time. */
export type SessionEnd =
  | 'logout'
  | 'revoked'
  | 'password_changed'
  | 'reuse'
  | 'code_replayed'
  | 'consent_revoked'
  | 'account_removed';

export type FactorKind = 'totp' | 'recovery_code' | 'passkey';

/** One decision as an enforcement point obeyed it, or would have in a dry run. */
export interface DecisionEvent {
  /** Where it was enforced, for example `DELETE /api/users/{id}` or `Mutation.createPost`. */
  readonly point: string;
  readonly request: AccessRequest;
  readonly decision: Decision;
  /** `false` for a dry run, which obeys nothing. @default true */
  readonly enforced?: false;
  /** Identifies the request in logs and events, where it is known. */
  readonly requestId?: string;
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
