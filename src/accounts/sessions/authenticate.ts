import {
  type Authentication,
  type Authenticator,
  type Caller,
  isPromise,
  type MaybePromise,
  type Principal,
  publishAudit,
} from '../../core/index.ts';
import { originOf } from '../../core/origin.ts';
import { type Claims, isConfirmed } from '../../tokens/index.ts';
import type { Account } from '../ports.ts';
import type { Settings } from '../settings.ts';
import { subjectOf } from '../subject.ts';
import { isGrant, readSession } from './session.ts';
import type { SessionRecord } from './session-store.ts';

/** An `Authentication` that also tells what the token said and what the stores hold; it stays in this folder. */
export type Identification =
  | {
      readonly ok: true;
      readonly principal: Principal;
      readonly claims: Claims;
      readonly account: Account;
      readonly record: SessionRecord;
    }
  | { readonly ok: false; readonly reason: string };

export type Identify = (token: string, caller?: Caller) => MaybePromise<Identification>;

/**
 * Makes the one way from a token to a principal. A bad token is refused at once; for a good one the
 * account and the session are read, at the same time, so that a removed or disabled account, an ended
 * session and a changed role take effect with the next request.
 */
export function createIdentify({ verifier, store, sessions, clock }: Settings): Identify {
  return (token, caller = {}) => {
    const verified = verifier.verify(token);
    if (!verified.ok) return refuse(verified.reason, caller);
    const { claims } = verified;
    const login = readSession(claims);
    if (login === undefined) return refuse('no_login', caller);
    // No token of ours is bound to a key of DPoP: nobody would check the proof.
    if (caller.dpop !== undefined) return refuse('confirmation', caller);
    if (!isConfirmed(claims, caller.certificate?.thumbprint)) return refuse('confirmation', caller);
    const { accountId, session } = login;
    return Promise.all([store.byId(accountId), sessions.find(session.id, session.tokenId, clock())]).then(
      ([account, record]) => {
        if (account === undefined) return refuse('unknown_account', caller);
        if (account.username !== claims.sub) return refuse('other_username', caller);
        if (account.disabled) return refuse('disabled_account', caller);
        if (record === undefined || record.accountId !== account.id) return refuse('session_ended', caller);
        // The tokens of a grant are another issuer's, and narrowed by scopes that a login does not have.
        if (isGrant(record)) return refuse('oauth_grant', caller);
        // What is issued next is bound as the record says: a store that lost the binding must not take it away.
        if (Object.hasOwn(claims, 'cnf') && record.certificateThumbprint !== caller.certificate?.thumbprint) {
          return refuse('confirmation', caller);
        }
        const own = record.clientId === undefined ? session : { ...session, clientId: record.clientId };
        return { ok: true, principal: { ...subjectOf(account), session: own }, claims, account, record };
      },
    );
  };
}

/** Hands on the principal, and nothing else of what was read. */
export function createAuthenticate(identify: Identify): Authenticator {
  return (token, caller) => {
    const identified = identify(token, caller);
    return isPromise(identified) ? identified.then(toAuthentication) : toAuthentication(identified);
  };
}

function toAuthentication(identified: Identification): Authentication {
  return identified.ok ? { ok: true, principal: identified.principal } : identified;
}

function refuse(reason: string, caller: Caller): Identification {
  publishAudit({ type: 'token.rejected', reason, ...originOf(caller) });
  return { ok: false, reason };
}
