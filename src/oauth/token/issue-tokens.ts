import { createHash } from 'node:crypto';
import type { Grant } from '../../accounts/index.ts';
import { createTokenIssuer } from '../../tokens/index.ts';
import { answer } from '../answers.ts';
import type { Client } from '../clients/client-metadata.ts';
import { OAuthError } from '../oauth-error.ts';
import type { Binding } from '../parts.ts';
import type { Settings } from '../settings.ts';
import { subjectOf } from '../subject.ts';

/** What one answer of the token endpoint gives. */
export interface Issue {
  readonly grant: Grant;
  readonly client: Client;
  /** Of the access token; the grant may hold more. */
  readonly scopes: readonly string[];
  /** Of the access token; the grant may hold more. */
  readonly audience: readonly string[];
  readonly binding: Binding;
  readonly refreshToken?: string | undefined;
  /** Of the authorization request. */
  readonly nonce?: string | undefined;
}

/** Makes the successful answer of the token endpoint (RFC 6749 section 5.1). */
export type IssueTokens = (issue: Issue) => Response;

export function createIssueTokens(settings: Settings): IssueTokens {
  const { keys, issuer, clock, accessTokenSeconds, idTokenSeconds } = settings;
  const access = createTokenIssuer({ key: keys, issuer, typ: 'at+jwt', ttlSeconds: accessTokenSeconds, clock });
  const identity = createTokenIssuer({ key: keys, issuer, ttlSeconds: idTokenSeconds, clock });

  return (issue) => {
    const { grant, client, scopes, refreshToken, binding } = issue;
    const now = Math.floor(clock() / 1_000);
    const notAfter = Math.floor(grant.session.endsAt / 1_000);
    // Nothing can be made of the last second of a session: it may be over when the token is signed.
    if (notAfter <= now + 1) throw new OAuthError('invalid_grant');
    const sub = subjectOf(grant, settings);
    const accessToken = access.issue({ sub, notAfter, audience: issue.audience, ...accessClaims(issue) });
    const isIdentified = scopes.includes('openid') && grant.account !== undefined;
    const idToken =
      isIdentified && identity.issue({ sub, audience: client.id, ...idClaims(issue), at_hash: leftHalf(accessToken) });
    return answer(200, {
      access_token: accessToken,
      token_type: binding.dpopThumbprint === undefined ? 'Bearer' : 'DPoP',
      expires_in: Math.min(accessTokenSeconds, notAfter - now),
      ...(refreshToken !== undefined && { refresh_token: refreshToken }),
      ...(idToken !== false && { id_token: idToken }),
      scope: scopes.join(' '),
    });
  };
}

/** RFC 9068 section 2.2. What tells of a login is left out of the token of a client that acts for itself. */
function accessClaims({ grant, client, scopes, binding }: Issue): Record<string, unknown> {
  const { session, account } = grant;
  return {
    sid: session.id,
    client_id: client.id,
    scope: scopes.join(' '),
    ...(account !== undefined && { uid: account.id, ...loginClaims(grant) }),
    ...confirmation(binding),
  };
}

function idClaims({ grant, nonce }: Issue): Record<string, unknown> {
  return { sid: grant.session.id, ...loginClaims(grant), ...(nonce !== undefined && { nonce }) };
}

function loginClaims({ session }: Grant): Record<string, unknown> {
  return { auth_time: session.authTime, acr: session.acr, amr: session.amr };
}

/** RFC 9449 section 6.1, RFC 8705 section 3.1. */
function confirmation({ dpopThumbprint, certificateThumbprint }: Binding): Record<string, unknown> {
  if (dpopThumbprint !== undefined) return { cnf: { jkt: dpopThumbprint } };
  return certificateThumbprint === undefined ? {} : { cnf: { 'x5t#S256': certificateThumbprint } };
}

/** `at_hash` (OpenID Connect Core section 3.1.3.6); all our algorithms hash with SHA-256. */
function leftHalf(accessToken: string): string {
  return createHash('sha256').update(accessToken).digest().subarray(0, 16).toString('base64url');
}
