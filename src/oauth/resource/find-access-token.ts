import { clientSubject, type Grant } from '../../accounts/index.ts';
import { ownProperty } from '../../core/own-property.ts';
import type { Claims } from '../../tokens/index.ts';
import type { FindAccessToken } from '../parts.ts';
import type { Settings } from '../settings.ts';
import { subjectOf } from '../subject.ts';
import { createReadAccessToken } from './read-access-token.ts';

/**
 * Makes the one way from the text of an access token to what it stands for. The signature and the times are judged
 * first, and only then is a store asked: whether the session lives, the token was not revoked, and the account is
 * there and enabled. Every claim that says who the token is for must agree with what the stores hold.
 */
export function createFindAccessToken(settings: Settings): FindAccessToken {
  const { grants } = settings.accounts;
  const readAccessToken = createReadAccessToken(settings);

  return async (token) => {
    const read = readAccessToken(token);
    if (!read.ok) return read;
    const { claims, client, sessionId, tokenId } = read;
    const grant = await grants.find(sessionId, tokenId);
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
