import { publishAudit } from '../../core/index.ts';
import { originOf } from '../../core/origin.ts';
import { OAuthError } from '../oauth-error.ts';
import type { AuthorizeParts, Interaction } from './interaction.ts';
import { showLogin } from './interaction-pages.ts';
import { issueCode } from './issue-code.ts';

/**
 * Takes the form of the consent page. It is bound to the login, and was only shown when that was good enough: neither
 * is asked for again.
 *
 * @param action - what the button said; anything but `allow` is no
 * @throws `OAuthError` `access_denied`
 */
export async function submitConsent(
  interaction: Interaction,
  parts: AuthorizeParts,
  action: string | undefined,
): Promise<Response> {
  const { asked, browser, info } = interaction;
  const { login } = browser;
  if (action === 'switch') return showLogin(interaction, parts, { username: '' });
  if (action !== 'allow' || login === undefined) throw new OAuthError('access_denied');
  const { consents, clock } = parts.settings;
  await consents.grant(login.account.id, asked.client.id, asked.scopes, clock());
  const who = { accountId: login.account.id, clientId: asked.client.id };
  publishAudit({ type: 'consent.granted', ...who, scopes: asked.scopes, ...originOf(info) });
  return issueCode(interaction, login, parts);
}
