import { isRecentLogin } from '../../core/step-up.ts';
import type { Settings } from '../settings.ts';
import { subjectOf } from '../subject.ts';
import type { AuthorizationRequest } from './authorization-request.ts';
import type { BrowserLogin } from './browser.ts';

/** Values of `prompt` that ask for a login whatever there is. */
const LOGIN_PROMPTS = ['login', 'select_account'] as const;

/** Tells whether a login that was there before the request is good enough for it. */
export function isLoginEnough(
  asked: AuthorizationRequest,
  login: BrowserLogin,
  settings: Pick<Settings, 'clock' | 'subject'>,
): boolean {
  if (LOGIN_PROMPTS.some((value) => asked.prompt.has(value))) return false;
  return isHinted(asked, login, settings) && isRecent(asked, login, settings.clock()) && hasClass(asked, login);
}

/** Tells whether a login is of the account that the client means, if it says which (`id_token_hint`). */
export function isHinted(
  { hintedSubject }: AuthorizationRequest,
  login: BrowserLogin,
  settings: Pick<Settings, 'subject'>,
): boolean {
  return hintedSubject === undefined || hintedSubject === subjectOf(login, settings);
}

/** Tells whether a login is of one of the classes asked for. The list has no order, as everywhere (RFC 9470). */
export function hasClass({ acrValues }: AuthorizationRequest, { session }: BrowserLogin): boolean {
  return acrValues.length === 0 || acrValues.includes(session.acr);
}

/** `max_age=0` asks for a login, however short ago the last one was (OpenID Connect Core section 3.1.2.1). */
function isRecent({ maxAge }: AuthorizationRequest, { session }: BrowserLogin, now: number): boolean {
  if (maxAge === undefined) return true;
  return maxAge > 0 && isRecentLogin(session.authTime, maxAge, Math.floor(now / 1_000));
}
