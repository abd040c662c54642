import { DoorwardError, publishAudit } from '../../core/index.ts';
import { originOf } from '../../core/origin.ts';
import { type Credentials, readCredentials } from '../../http/credentials.ts';
import { callerOf } from '../../http/identify.ts';
import { errorResponse, type Handler, type RequestInfo } from '../../http/index.ts';
import { answer, answering } from '../answers.ts';
import type { DpopVerifier, FindAccessToken, LiveToken } from '../parts.ts';
import type { Settings } from '../settings.ts';
import { subjectOf } from '../subject.ts';
import { checkBinding } from './check-binding.ts';

interface Parts {
  readonly findAccessToken: FindAccessToken;
  readonly dpop: DpopVerifier;
}

type Presented = Exclude<Credentials, { readonly kind: 'none' }>;

/**
 * Makes the userinfo endpoint (OpenID Connect Core section 5.3), for GET and POST alike. The token is read from the
 * `Authorization` header only: RFC 6750 lets a server leave the body and the query out. It may be for any resource
 * of this server, since the endpoint belongs to the server and the scope `openid` is what opens it.
 */
export function createUserinfo(settings: Settings, { findAccessToken, dpop }: Parts): Handler {
  const { onError, urls } = settings;

  async function identify(credentials: Presented, request: Request, info: RequestInfo): Promise<LiveToken | string> {
    if (credentials.kind === 'invalid') return credentials.error === 'invalid_dpop_proof' ? 'dpop_proof' : 'malformed';
    const { token } = credentials;
    const found = await findAccessToken(token);
    if (!found.ok) return found.reason;
    const caller = callerOf(request, info, credentials);
    return (await checkBinding(dpop, token, found.claims, caller, urls.userinfo)) ?? found;
  }

  return (request, info) =>
    answering(info, onError, async () => {
      const credentials = readCredentials(request.headers);
      if (credentials.kind === 'none') return errorResponse(new DoorwardError('AUTH_NOT_AUTHENTICATED'));
      const { scheme } = credentials;
      const found = await identify(credentials, request, info);
      if (typeof found === 'string') {
        publishAudit({ type: 'token.rejected', reason: found, ...originOf(info) });
        const form = { scheme, presented: true, lacksProof: found === 'dpop_proof' };
        return errorResponse(new DoorwardError('AUTH_NOT_AUTHENTICATED'), form);
      }
      const claims = claimsOf(found, settings);
      if (claims !== undefined) return answer(200, claims);
      const error = new DoorwardError('AUTHZ_FORBIDDEN', { problem: 'Requires scope: openid' });
      return errorResponse(error, { scheme, scope: 'openid' });
    });
}

/** @returns `undefined` for a token that was not given to know who somebody is, or tells of nobody. */
function claimsOf({ grant, scopes }: LiveToken, settings: Settings): Readonly<Record<string, unknown>> | undefined {
  const { account } = grant;
  if (account === undefined || !scopes.includes('openid')) return undefined;
  const { username, email } = account;
  return {
    sub: subjectOf(grant, settings),
    ...(scopes.includes('profile') && { preferred_username: username }),
    // Nothing here has sent a letter to the address to find out.
    ...(scopes.includes('email') && email !== undefined && { email, email_verified: false }),
  };
}
