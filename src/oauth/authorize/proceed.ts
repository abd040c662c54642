import { OAuthError } from '../oauth-error.ts';
import { redirect } from './authorization-response.ts';
import type { BrowserLogin } from './browser.ts';
import type { AuthorizeParts, Interaction } from './interaction.ts';
import { type PageReason, showConsent, showLogin } from './interaction-pages.ts';
import { issueCode } from './issue-code.ts';
import { hasClass, isHinted, isLoginEnough } from './login-demands.ts';

/**
 * Takes a request as far as it gets by itself: to a page that asks for something, or to a code.
 *
 * @throws `OAuthError` `login_required` or `consent_required` where the request forbids pages (`prompt=none`).
 */
export async function proceed(interaction: Interaction, parts: AuthorizeParts): Promise<Response> {
  const { login, next } = await nextOf(interaction, parts);
  if (next === 'login') return showLogin(interaction, parts);
  return next === 'consent' ? showConsent(interaction, parts, login) : issueCode(interaction, login, parts);
}

/**
 * Goes on after a login that this request has led to: it is as recent as can be.
 *
 * @throws `OAuthError` `login_required` or `unmet_authentication_requirements` where it still is not the one asked for.
 */
export async function proceedAfterLogin(
  interaction: Interaction,
  login: BrowserLogin,
  parts: AuthorizeParts,
): Promise<Response> {
  if (!isHinted(interaction.asked, login, parts.settings)) throw new OAuthError('login_required');
  if (!hasClass(interaction.asked, login)) throw new OAuthError('unmet_authentication_requirements');
  if (await needsConsent(interaction, login, parts)) return showConsent(interaction, parts, login);
  return issueCode(interaction, login, parts);
}

/** Shows what has to be asked now, because what was sent is not to be trusted; nothing else is done. */
export async function askAgain(interaction: Interaction, parts: AuthorizeParts): Promise<Response> {
  const expired: PageReason = { problem: 'expired', status: 403 };
  const { login, next } = await nextOf(interaction, parts);
  if (next === 'login') return showLogin(interaction, parts, expired);
  if (next === 'consent') return showConsent(interaction, parts, login, expired);
  // Somebody went on in another window: there is nothing left to ask, and a GET is all it takes.
  return redirect(`${parts.settings.urls.authorize}?${interaction.query}`, interaction.browser.setCookies);
}

type Next =
  | { readonly next: 'login'; readonly login?: undefined }
  | { readonly next: 'consent' | 'code'; readonly login: BrowserLogin };

async function nextOf(interaction: Interaction, parts: AuthorizeParts): Promise<Next> {
  const { asked, browser } = interaction;
  const { login } = browser;
  const isSilent = asked.prompt.has('none');
  if (login === undefined || !isLoginEnough(asked, login, parts.settings)) {
    if (isSilent) throw new OAuthError('login_required');
    return { next: 'login' };
  }
  if (!(await needsConsent(interaction, login, parts))) return { next: 'code', login };
  if (isSilent) throw new OAuthError('consent_required');
  return { next: 'consent', login };
}

async function needsConsent(
  { asked }: Interaction,
  { account }: BrowserLogin,
  { settings }: AuthorizeParts,
): Promise<boolean> {
  if (asked.prompt.has('consent')) return true;
  if (asked.client.consent === 'implied') return false;
  const record = await settings.consents.find(account.id, asked.client.id);
  return record === undefined || !asked.scopes.every((name) => record.scopes.includes(name));
}
