import { clientSubject, type Grant } from '../../accounts/index.ts';
import { ownProperty } from '../../core/own-property.ts';
import { type Claims, createTokenVerifier } from '../../tokens/index.ts';
import type { FindAccessToken } from '../parts.ts';
import type { Settings } from '../settings.ts';
import { subjectOf } from '../subject.ts';

/** The `typ` of access tokens (RFC 9068 section 2.1), by which an id token is never taken for one. */
export const ACCESS_TOKEN_TYPE = 'at+jwt';

/**
 * Makes the one way from the text of an access token to what it stands for. The signature and the times are judged
 * first, and only then is a store asked: whether the session lives, the token was not revoked, and the account is
 * there and enabled. Every claim that says who the token is for must agree with what the stores hold.
 */
export function createFindAccessToken(settings: Settings): FindAccessToken {
  const { keys, issuer, resources, clock, accounts, clients } = settings;
  // The lifetime is bounded by the verifier's own day: one that is configured shorter must not end tokens that
  // another instance still issues.
  const verifier = createTokenVerifier({ keys, issuer, audience: resources, types: [ACCESS_TOKEN_TYPE], clock });

  return async (token) => {
    const verified = verifier.verify(token);
    if (!verified.ok) return verified;
    const { claims } = verified;
    const sessionId = ownProperty(claims, 'sid');
    const tokenId = ownProperty(claims, 'jti');
    const client = clients.find(ownProperty(claims, 'client_id'))?.client;
    if (client === undefined) return refused('unknown_client');
    if (typeof sessionId !== 'string' || typeof tokenId !== 'string') return refused('no_session');
    const grant = await accounts.grants.find(sessionId, tokenId);
    if (grant === undefined) return refused('session_ended');
    if (grant.session.clientId !== client.id) return refused('other_client');
    if (!isOwner(grant, claims, settings)) return refused('other_subject');
    const scopes = readScopes(claims);
    if (scopes === undefined || !isWithin(scopes, grant.session.scopes)) return refused('scope');
    if (!isWithin(audienceOf(claims), grant.session.audience)) return refused('audience');
    // What a registration has lost its tokens have lost too.
    return { ok: true, claims, grant, client, scopes: scopes.filter((scope) => client.scopes.includes(scope)) };
  };
}

/** The `aud` of a token as a list. */
export function audienceOf({ aud = [] }: Claims): readonly string[] {
  return typeof aud === 'string' ? [aud] : aud;
}

/** A username that is registered again, or is spelt like a client, is another owner (RFC 9700 section 4.15). */
function isOwner(grant: Grant, claims: Claims, settings: Settings): boolean {
  const { account, session } = grant;
  if (session.accountId !== (account?.id ?? clientSubject(session.clientId ?? ''))) return false;
  return claims.sub === subjectOf(grant, settings) && ownProperty(claims, 'uid') === account?.id;
}

function readScopes(claims: Claims): readonly string[] | undefined {
  const scope = ownProperty(claims, 'scope') ?? '';
  return typeof scope === 'string' ? scope.split(' ').filter((name) => name !== '') : undefined;
}

function isWithin(names: readonly string[], granted: readonly string[] | undefined): boolean {
  return granted !== undefined && names.every((name) => granted.includes(name));
}

function refused(reason: string): { readonly ok: false; readonly reason: string } {
  return { ok: false, reason };
}
