import type { Login } from '../../accounts/index.ts';
import { report } from '../answers.ts';
import { answeringClient } from './authorization-response.ts';
import type { AuthorizeParts, Fields, Interaction } from './interaction.ts';
import { type PageReason, showLogin, showSecondFactor } from './interaction-pages.ts';
import { loginProblem } from './login-problem.ts';
import { proceedAfterLogin } from './proceed.ts';

/** As long as any username that is shown again. */
const MAX_SHOWN_USERNAME = 256;

/** Takes the form of the login page. */
export async function submitLogin(interaction: Interaction, parts: AuthorizeParts, fields: Fields): Promise<Response> {
  const { info } = interaction;
  const { accounts } = parts.settings;
  const username = fields.get('username') ?? '';
  const credentials = { username, password: fields.get('password') ?? '' };
  const first = await accounts.beginLogin(credentials, info, { sessionToken: true }).catch((error: unknown) => {
    const reason = problemOf(error, interaction, parts);
    return showLogin(interaction, parts, { ...reason, username: username.slice(0, MAX_SHOWN_USERNAME) });
  });
  if (first instanceof Response) return first;
  if (first.kind === 'complete') return enter(interaction, parts, first.login);
  if (first.fields.includes('otp')) return showSecondFactor(interaction, parts, first.ticket);
  // A passkey is asked for by a script, and these pages have none.
  return showLogin(interaction, parts, { problem: 'unsupported_second_factor', status: 403 });
}

/** Takes the form of the page of the second factor. The ticket stays good until the proof is. */
export async function submitSecondFactor(
  interaction: Interaction,
  parts: AuthorizeParts,
  fields: Fields,
): Promise<Response> {
  const { info } = interaction;
  const { accounts } = parts.settings;
  const ticket = fields.get('ticket') ?? '';
  const proofs = { otp: fields.get('otp') ?? '' };
  const login = await accounts.finishLogin(ticket, proofs, info, { sessionToken: true }).catch((error: unknown) => {
    const reason = problemOf(error, interaction, parts);
    if (reason.problem !== 'invalid_credentials') return showSecondFactor(interaction, parts, ticket, reason);
    return showLogin(interaction, parts, { problem: 'expired', status: 403 });
  });
  return login instanceof Response ? login : enter(interaction, parts, login);
}

/** @throws what is no matter of the login */
function problemOf(error: unknown, { info }: Interaction, { settings }: AuthorizeParts): Required<PageReason> {
  const reason = loginProblem(error);
  if (reason === undefined) throw error;
  if (reason.status >= 500) report(error, info, settings.onError);
  return reason;
}

/** From here on the browser has the login, whatever becomes of the request. */
async function enter(before: Interaction, parts: AuthorizeParts, { sessionToken }: Login): Promise<Response> {
  const browser = await parts.browsers.logIn(before.browser, sessionToken, before.info);
  const interaction: Interaction = { ...before, browser };
  const { login } = browser;
  if (login === undefined) return showLogin(interaction, parts, { problem: 'expired', status: 403 });
  const answered = { target: interaction.asked, info: interaction.info, cookies: browser.setCookies };
  return answeringClient(answered, parts.settings, () => proceedAfterLogin(interaction, login, parts));
}
