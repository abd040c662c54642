import { randomBytes } from 'node:crypto';
import { publishAudit } from '../../core/index.ts';
import { originOf } from '../../core/origin.ts';
import type { CodeRecord } from '../codes/code-store.ts';
import { OAuthError } from '../oauth-error.ts';
import { hashCode } from '../token/code-check.ts';
import { redirectToClient } from './authorization-response.ts';
import type { BrowserLogin } from './browser.ts';
import type { AuthorizeParts, Interaction } from './interaction.ts';

/**
 * How long a code is remembered after its expiry: longer than its redemption takes. A replay after this is known by
 * the session that the code gave.
 */
const REMEMBERED_MS = 600_000;
const MINUTE_MS = 60_000;

/**
 * Answers the request with a code for a login that is good enough and has consented.
 *
 * @throws `OAuthError` `temporarily_unavailable` after too many codes in a minute.
 */
export async function issueCode(
  interaction: Interaction,
  login: BrowserLogin,
  { settings }: AuthorizeParts,
): Promise<Response> {
  const { asked, browser, info } = interaction;
  const { limits, codes, clock, codesPerMinute } = settings;
  const clientId = asked.client.id;
  const accountId = login.account.id;
  // No client id has a colon in it, so no two pairs share a counter.
  const { count } = await limits.hit(`authorize:${clientId}:${accountId}`, MINUTE_MS, clock());
  if (count > codesPerMinute) throw new OAuthError('temporarily_unavailable', { problem: 'Too many requests' });
  const code = randomBytes(32).toString('base64url');
  const record = codeRecord(interaction, login, settings.codeSeconds);
  await codes.put(hashCode(code), record, record.expiresAt + REMEMBERED_MS, clock());
  publishAudit({ type: 'code.issued', accountId, clientId, ...originOf(info) });
  return redirectToClient(asked, { code }, settings, browser.setCookies);
}

/**
 * The code is as old as what is known of the login: whatever ends the logins of the account from then on keeps the
 * code from giving anything.
 */
function codeRecord(
  { asked }: Interaction,
  { account, session, knownAt }: BrowserLogin,
  codeSeconds: number,
): CodeRecord {
  const { client, redirectUri, codeChallenge, scopes, audience, nonce, dpopThumbprint } = asked;
  return {
    clientId: client.id,
    accountId: account.id,
    redirectUri,
    codeChallenge,
    scopes,
    audience,
    ...(nonce !== undefined && { nonce }),
    authTime: session.authTime,
    amr: session.amr,
    acr: session.acr,
    ...(dpopThumbprint !== undefined && { dpopThumbprint }),
    loginSessionId: session.id,
    issuedAt: knownAt,
    expiresAt: knownAt + codeSeconds * 1_000,
  };
}
