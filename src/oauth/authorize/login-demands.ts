import type { AuthorizationRequest } from './authorization-request.ts';
import type { BrowserLogin } from './browser.ts';

/** Values of `prompt` that ask for a login whatever there is. */
const LOGIN_PROMPTS = ['login', 'select_account'] as const;

/** Tells whether a login that was there before the request is good enough for it. */
export function isLoginEnough(asked: AuthorizationRequest, login: BrowserLogin, now: number): boolean {
  if (LOGIN_PROMPTS.some((value) => asked.prompt.has(value))) return false;
  return isRecent(asked, login, now) && hasClass(asked, login);
}

/** Tells whether a login is of one of the classes asked for. The list has no order, as everywhere (RFC 9470). */
export function hasClass({ acrValues }: AuthorizationRequest, { session }: BrowserLogin): boolean {
  return acrValues.length === 0 || acrValues.includes(session.acr);
}

/** `max_age=0` asks for a login, however short ago the last one was (OpenID Connect Core section 3.1.2.1). */
function isRecent({ maxAge }: AuthorizationRequest, { session }: BrowserLogin, now: number): boolean {
  if (maxAge === undefined) return true;
  return maxAge > 0 && Math.floor(now / 1_000) - session.authTime <= maxAge;
}
