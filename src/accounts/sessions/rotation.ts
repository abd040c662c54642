import { guarded } from '../../core/guarded.ts';
import { type Caller, DoorwardError, publishAudit } from '../../core/index.ts';
import { originOf } from '../../core/origin.ts';
import type { Account } from '../ports.ts';
import type { Settings } from '../settings.ts';
import { announceEnd } from './end-session.ts';
import { createRefreshToken, hashRefreshToken, isRefreshToken, openSuccessor, sealSuccessor } from './refresh-token.ts';
import { isGrant } from './session.ts';
import type { SessionRecord } from './session-store.ts';

/** Who may have which refresh token swapped. */
export interface SwapRules {
  /** The client that presents it. */
  readonly clientId: string | undefined;
  readonly caller: Caller | undefined;
  /** Whether it must be one of an OAuth grant, or must not be. */
  readonly isGrant: boolean;
  /** Runs before anything is consumed; what it throws is thrown. */
  readonly admit?: (holder: Holder) => void | Promise<void>;
}

/** Whose a refresh token is. */
export interface Holder {
  readonly session: SessionRecord;
  /** Enabled. */
  readonly account: Account;
}

/** The refresh token that is good from now on, and whose it is. */
export interface Swapped extends Holder {
  readonly refreshToken: string;
}

/** @throws `AUTH_INVALID_GRANT` */
export type Swap = (refreshToken: string, rules: SwapRules) => Promise<Swapped>;

type Found = ({ readonly ok: true } & Holder) | { readonly ok: false; readonly reason: string };

/**
 * The one rotation (RFC 6749 section 6, RFC 9700 section 4.14.2), of logins and of OAuth grants. Whoever may not
 * have a refresh token swapped is refused before anything is consumed; the swap itself is one call of the store.
 */
export function createSwap(settings: Settings): Swap {
  const { store, sessions, clock, refreshIdleSeconds, refreshGraceSeconds, storeTimeoutMs } = settings;

  /** What the token is good for, without using it up. */
  async function holderOf(hash: string, rules: SwapRules): Promise<Found> {
    const session = (await sessions.findByRefreshToken(hash, clock()))?.session;
    if (session === undefined) return { ok: false, reason: 'unknown_refresh_token' };
    if (session.clientId !== rules.clientId) return { ok: false, reason: 'other_client' };
    if (isGrant(session) !== rules.isGrant) return { ok: false, reason: 'other_grant' };
    const { certificateThumbprint: bound } = session;
    if (bound !== undefined && bound !== rules.caller?.certificate?.thumbprint) {
      return { ok: false, reason: 'confirmation' };
    }
    const account = await store.byId(session.accountId);
    if (account === undefined) return { ok: false, reason: 'unknown_account' };
    return account.disabled ? { ok: false, reason: 'disabled_account' } : { ok: true, session, account };
  }

  /** What does not open was not sealed by us: the store is damaged. */
  const reopen = (token: string, sealed: string): Promise<string> =>
    guarded(async () => openSuccessor(token, sealed), storeTimeoutMs);

  return async (token, rules) => {
    const origin = originOf(rules.caller ?? {});
    const refuse = (reason: string): never => {
      publishAudit({ type: 'token.rejected', reason, ...origin });
      throw new DoorwardError('AUTH_INVALID_GRANT');
    };
    if (!isRefreshToken(token)) return refuse('malformed');
    const hash = hashRefreshToken(token);
    const found = await holderOf(hash, rules);
    if (!found.ok) return refuse(found.reason);
    const { session, account } = found;
    await rules.admit?.({ session, account });
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
    publishAudit({ type: 'token.refreshed', ...who });
    return { session, account, refreshToken };
  };
}
