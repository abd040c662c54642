import { clientSubject } from '../../accounts/index.ts';
import { subjectOf } from '../../accounts/subject.ts';
import {
  type Authentication,
  type Authenticator,
  type Caller,
  type Principal,
  publishAudit,
} from '../../core/index.ts';
import { originOf } from '../../core/origin.ts';
import { ownProperty } from '../../core/own-property.ts';
import { currentKeys } from '../../tokens/current-keys.ts';
import { bareType } from '../../tokens/token-verifier.ts';
import type { DpopVerifier, FindAccessToken, LiveToken } from '../parts.ts';
import type { Settings } from '../settings.ts';
import { checkBinding } from './check-binding.ts';
import { audienceOf } from './find-access-token.ts';
import { ACCESS_TOKEN_TYPE } from './read-access-token.ts';

interface Parts {
  readonly findAccessToken: FindAccessToken;
  readonly dpop: DpopVerifier;
}

/** The resource server's side: access tokens become principals. */
export interface Authenticate {
  readonly authenticate: Authenticator;
  readonly recognises: (token: string) => boolean;
}

/** Makes the resource server's side, for the resource of the settings: a token for another one is refused. */
export function createAuthenticate(settings: Settings, { findAccessToken, dpop }: Parts): Authenticate {
  const { resource, issuer } = settings;
  const { origin } = new URL(/^https?:/i.test(resource) ? resource : issuer);

  async function principalOf(token: string, caller: Caller): Promise<Principal | string> {
    const found = await findAccessToken(token);
    if (!found.ok) return found.reason;
    const { claims, grant } = found;
    if (!audienceOf(claims).includes(resource)) return 'audience';
    const problem = await checkBinding(dpop, token, claims, caller, addressOf(caller, origin));
    if (problem !== undefined) return problem;
    const session = sessionOf(found);
    if (grant.account === undefined) {
      const { id, roles } = found.client;
      return { id: clientSubject(id), roles, scopes: found.scopes, attributes: { clientId: id }, session };
    }
    return { ...subjectOf(grant.account), scopes: found.scopes, session };
  }

  return {
    async authenticate(token, caller = {}): Promise<Authentication> {
      const principal = await principalOf(token, caller);
      if (typeof principal !== 'string') return { ok: true, principal };
      publishAudit({ type: 'token.rejected', reason: principal, ...originOf(caller) });
      return { ok: false, reason: principal };
    },
    recognises: createRecognises(settings),
  };
}

function createRecognises({ keys }: Pick<Settings, 'keys'>): (token: string) => boolean {
  const keysNow = currentKeys(keys, [ACCESS_TOKEN_TYPE], () => undefined);
  return (token) => {
    try {
      const jws = keysNow()(token);
      return typeof jws !== 'string' && bareType(jws.typ) === ACCESS_TOKEN_TYPE;
    } catch {
      return false;
    }
  };
}

/** A client that acts for itself has logged nobody in: no step-up takes it for a login. */
function sessionOf({ claims, grant: { account, session }, client }: LiveToken): NonNullable<Principal['session']> {
  return {
    id: session.id,
    tokenId: String(ownProperty(claims, 'jti')),
    authTime: account === undefined ? 0 : session.authTime,
    amr: account === undefined ? [] : session.amr,
    ...(account !== undefined && { acr: session.acr }),
    clientId: client.id,
    expiresAt: claims.exp,
  };
}

/** The address as the client knows it: behind a proxy the host that arrives here may be another one. */
function addressOf({ dpop }: Caller, origin: string): string | undefined {
  if (dpop === undefined || !URL.canParse(dpop.url)) return undefined;
  const { pathname, search } = new URL(dpop.url);
  return origin + pathname + search;
}
