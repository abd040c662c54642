import type { Grant } from '../../accounts/index.ts';
import { ownProperty } from '../../core/own-property.ts';
import { readConfirmation } from '../../tokens/confirmation.ts';
import type { Client } from '../clients/client-metadata.ts';
import type { LiveToken } from '../parts.ts';
import type { Settings } from '../settings.ts';
import { subjectOf } from '../subject.ts';

/** What is told of a token that is good now (RFC 7662 section 2.2). Times are in seconds since the epoch. */
export interface ActiveIntrospection {
  readonly active: true;
  readonly iss: string;
  readonly sub: string;
  readonly aud: string | readonly string[];
  /** Separated by spaces. */
  readonly scope: string;
  readonly client_id: string;
  /** For whoever serves the resource; the client itself needs the scope `profile`. */
  readonly username?: string;
  /** The id of the account, which is never given twice; for whoever serves the resource. */
  readonly uid?: string;
  /** Absent of a refresh token, which is presented to nobody but this server. */
  readonly token_type?: 'Bearer' | 'DPoP';
  readonly exp: number;
  readonly iat?: number;
  readonly nbf?: number;
  readonly jti?: string;
  readonly auth_time?: number;
  readonly acr?: string;
  readonly amr?: readonly string[];
  /** The key that it is bound to (RFC 7800 section 3.1). */
  readonly cnf?: Readonly<Record<string, unknown>>;
}

/** The answer of introspection. Of a token that is not active nothing else is told. */
export type Introspection = ActiveIntrospection | { readonly active: false };

export const INACTIVE: Introspection = Object.freeze({ active: false });

/** @param serves - whether it is told to a server that tokens are presented to, and not to the client that has them */
export function describeAccessToken(token: LiveToken, settings: Settings, serves: boolean): Introspection {
  const { claims, grant, client, scopes } = token;
  const { iat, exp, nbf, jti } = claims;
  const cnf = ownProperty(claims, 'cnf') as Readonly<Record<string, unknown>> | undefined;
  return {
    ...describeGrant(grant, client, settings, scopes, serves),
    aud: claims.aud ?? [],
    token_type: readConfirmation(claims).kind === 'jkt' ? 'DPoP' : 'Bearer',
    exp,
    iat,
    ...(nbf !== undefined && { nbf }),
    ...(jti !== undefined && { jti }),
    ...(cnf !== undefined && { cnf }),
  };
}

/** A refresh token is told of as its session: that is what ends it at the latest, and what binds it. */
export function describeRefreshToken(grant: Grant, client: Client, settings: Settings, serves: boolean): Introspection {
  const { scopes = [], audience = [], endsAt, dpopThumbprint, certificateThumbprint } = grant.session;
  const cnf = {
    ...(dpopThumbprint !== undefined && { jkt: dpopThumbprint }),
    ...(certificateThumbprint !== undefined && { 'x5t#S256': certificateThumbprint }),
  };
  const held = scopes.filter((scope) => client.scopes.includes(scope));
  return {
    ...describeGrant(grant, client, settings, held, serves),
    aud: audience.length === 1 ? String(audience[0]) : audience,
    exp: Math.floor(endsAt / 1_000),
    ...(Object.keys(cnf).length > 0 && { cnf }),
  };
}

function describeGrant(
  grant: Grant,
  client: Client,
  settings: Settings,
  scopes: readonly string[],
  serves: boolean,
): Pick<
  ActiveIntrospection,
  'active' | 'iss' | 'sub' | 'scope' | 'client_id' | 'username' | 'uid' | 'auth_time' | 'acr' | 'amr'
> {
  const { account, session } = grant;
  const { authTime: auth_time, acr, amr } = session;
  return {
    active: true,
    iss: settings.issuer,
    sub: subjectOf(grant, settings),
    scope: scopes.join(' '),
    client_id: client.id,
    ...(account !== undefined && { auth_time, acr, amr }),
    ...(account !== undefined && serves && { uid: account.id }),
    ...(account !== undefined && (serves || scopes.includes('profile')) && { username: account.username }),
  };
}
