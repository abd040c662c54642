import { type MaybePromise, type Principal, publishAudit, type Session } from '../core/index.ts';
import type { Claims } from '../tokens/index.ts';
import type { Account } from './ports.ts';
import { readSession } from './session.ts';
import type { Settings } from './settings.ts';

/** An `Authentication` that also tells what the token said. */
export type Identification =
  | { readonly ok: true; readonly principal: Principal; readonly session: Session; readonly claims: Claims }
  | { readonly ok: false; readonly reason: string };

export type Identify = (token: string) => MaybePromise<Identification>;

/**
 * Makes the one way from a token to a principal. A bad token is refused at once; for a good one the
 * account is read, so that a removed or disabled account and a changed role take effect with the next
 * request.
 */
export function createIdentify({ verifier, store }: Settings): Identify {
  return (token) => {
    const verified = verifier.verify(token);
    if (!verified.ok) return refuse(verified.reason);
    const { claims } = verified;
    const login = readSession(claims);
    if (login === undefined) return refuse('no_login');
    return store.byId(login.accountId).then((account) => identify(account, claims, login.session));
  };
}

function identify(account: Account | undefined, claims: Claims, session: Session): Identification {
  if (account === undefined) return refuse('unknown_account');
  if (account.username !== claims.sub) return refuse('other_username');
  if (account.disabled) return refuse('disabled_account');
  return { ok: true, principal: principalOf(account, session), session, claims };
}

function principalOf({ id, roles, username, email, department }: Account, session: Session): Principal {
  return {
    id,
    roles,
    attributes: { username, ...(email !== undefined && { email }), ...(department !== undefined && { department }) },
    session,
  };
}

function refuse(reason: string): Identification {
  publishAudit({ type: 'token.rejected', reason });
  return { ok: false, reason };
}
