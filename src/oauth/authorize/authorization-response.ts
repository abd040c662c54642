import { publishAudit } from '../../core/index.ts';
import { originOf } from '../../core/origin.ts';
import type { RequestInfo } from '../../http/index.ts';
import { NO_STORE, report, toOAuthError } from '../answers.ts';
import type { Settings } from '../settings.ts';
import type { AuthorizationTarget } from './authorization-target.ts';
import { withCookies } from './cookies.ts';

/**
 * Sends the browser elsewhere, with 303: 307 would send a posted password along (RFC 9700 section 4.12). The address
 * is not told to where it leads, because codes are in addresses (section 4.2.4).
 */
export function redirect(location: string, cookies: readonly string[] = []): Response {
  const headers = { ...NO_STORE, location, 'referrer-policy': 'no-referrer', 'content-length': '0' };
  return withCookies(new Response(null, { status: 303, headers }), cookies);
}

/** Answers an authorization request: appended to the registered query (RFC 6749 section 3.1.2), with `iss` (RFC 9207). */
export function redirectToClient(
  { redirectUri, state }: AuthorizationTarget,
  answer: Readonly<Record<string, string | undefined>>,
  { issuer }: Pick<Settings, 'issuer'>,
  cookies: readonly string[] = [],
): Response {
  const query = Object.entries({ ...answer, state, iss: issuer })
    .flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`]))
    .join('&');
  return redirect(`${redirectUri}${redirectUri.includes('?') ? '&' : '?'}${query}`, cookies);
}

/** Who is answered, for an answer that goes to the client whatever happens. */
export interface Answered {
  readonly target: AuthorizationTarget;
  readonly info: RequestInfo;
  /** Go with an error too: a login that was good is kept. */
  readonly cookies?: readonly string[];
}

/** Runs a part of the endpoint and tells the client, by a redirect, of whatever it throws; never a word about the cause. */
export async function answeringClient(
  { target, info, cookies = [] }: Answered,
  settings: Pick<Settings, 'issuer' | 'onError'>,
  run: () => Promise<Response>,
): Promise<Response> {
  try {
    return await run();
  } catch (error) {
    const { code, description, status } = toOAuthError(error);
    if (status >= 500) report(error, info, settings.onError);
    publishAudit({ type: 'authorization.refused', clientId: target.client.id, error: code, ...originOf(info) });
    return redirectToClient(target, { error: code, error_description: description }, settings, cookies);
  }
}
