import { guarded } from '../core/guarded.ts';
import { type Caller, DoorwardError, publishAudit } from '../core/index.ts';
import { originOf } from '../core/origin.ts';
import { announceEnd } from './end-session.ts';
import type { Account } from './ports.ts';
import { createRefreshToken, hashRefreshToken, isRefreshToken, openSuccessor, sealSuccessor } from './refresh-token.ts';
import { claimsOf, endOf, type IssuedToken, issueLoginToken } from './session.ts';
import type { SessionRecord } from './session-store.ts';
import type { Settings } from './settings.ts';

export interface RotateOptions {
  /** The client that presents the token. */
  readonly clientId?: string;
  readonly caller?: Caller;
  /** Puts the account's e-mail address into the access token. @default false */
  readonly includeEmail?: boolean;
}

/** A new access token, and the refresh token that takes the place of the presented one. */
export interface Rotated extends IssuedToken {
  readonly refreshToken: string;
  readonly sessionId: string;
}

export type Rotate = (refreshToken: string, options?: RotateOptions) => Promise<Rotated>;

type Grant = { readonly ok: true; readonly session: SessionRecord; readonly account: Account } | Refused;
type Refused = { readonly ok: false; readonly reason: string };

/**
 * Swaps a refresh token (RFC 6749 section 6, RFC 9700 section 4.14.2). Whoever may not have it swapped is
 * refused before anything is consumed; the swap itself is one call of the store.
 */
export function createRotate(settings: Settings): Rotate {
  const { store, sessions, clock, refreshIdleSeconds, refreshGraceSeconds, storeTimeoutMs } = settings;

  /** What the token is good for, without using it up. */
  async function grantOf(hash: string, { clientId, caller }: RotateOptions): Promise<Grant> {
    const session = await sessions.findByRefreshToken(hash, clock());
    if (session === undefined) return { ok: false, reason: 'unknown_refresh_token' };
    if (session.clientId !== clientId) return { ok: false, reason: 'other_client' };
    const { certificateThumbprint: bound } = session;
    if (bound !== undefined && bound !== caller?.certificate?.thumbprint) return { ok: false, reason: 'confirmation' };
    const account = await store.byId(session.accountId);
    if (account === undefined) return { ok: false, reason: 'unknown_account' };
    return account.disabled ? { ok: false, reason: 'disabled_account' } : { ok: true, session, account };
  }

  /** What does not open was not sealed by us: the store is damaged. */
  const reopen = (token: string, sealed: string): Promise<string> =>
    guarded(async () => openSuccessor(token, sealed), storeTimeoutMs);

  return async (token, options = {}) => {
    const origin = originOf(options.caller ?? {});
    const refuse = (reason: string): never => {
      publishAudit({ type: 'token.rejected', reason, ...origin });
      throw new DoorwardError('AUTH_INVALID_GRANT');
    };
    if (!isRefreshToken(token)) return refuse('malformed');
    const hash = hashRefreshToken(token);
    const grant = await grantOf(hash, options);
    if (!grant.ok) return refuse(grant.reason);
    const { session, account } = grant;
    const who = { accountId: account.id, sessionId: session.id, ...origin };
    const successor = createRefreshToken();
    const now = clock();
    const rotation = await sessions.rotate({
      hash,
      ...(session.clientId !== undefined && { clientId: session.clientId }),
      successor: {
        hash: hashRefreshToken(successor),
        idleUntil: Math.min(now + refreshIdleSeconds * 1_000, session.endsAt),
      },
      sealedSuccessor: sealSuccessor(token, successor),
      graceMs: refreshGraceSeconds * 1_000,
      now,
    });
    if (rotation.kind === 'refused') return refuse('expired');
    if (rotation.session.id !== session.id) throw new DoorwardError('SERVICE_UNAVAILABLE');
    if (rotation.kind === 'reused') {
      publishAudit({ type: 'token.reused', ...who });
      await announceEnd(settings, account.id, session.id, { reason: 'reuse', origin });
      throw new DoorwardError('AUTH_INVALID_GRANT');
    }
    const refreshToken = rotation.kind === 'rotated' ? successor : await reopen(token, rotation.sealedSuccessor);
    const issued = issueLoginToken(settings, claimsOf(account, session, options.includeEmail === true), endOf(session));
    publishAudit({ type: 'token.refreshed', ...who });
    return { ...issued, refreshToken, sessionId: session.id };
  };
}
