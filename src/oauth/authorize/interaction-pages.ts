import { ownProperty } from '../../core/own-property.ts';
import type { PageForm, PageProblem, PageView } from '../pages/page.ts';
import type { BrowserLogin } from './browser.ts';
import type { FormStep } from './form-token.ts';
import { type AuthorizeParts, type Interaction, purposeOf } from './interaction.ts';
import { formTarget } from './pages.ts';

/** Why a page is shown, when not for the first time. */
export interface PageReason {
  readonly problem?: PageProblem;
  /** @default 200 */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

export function showLogin(
  interaction: Interaction,
  parts: AuthorizeParts,
  { username = interaction.asked.loginHint ?? '', ...reason }: PageReason & { readonly username?: string } = {},
): Promise<Response> {
  return show({ kind: 'login', username, ...frame(interaction, parts, 'login', reason) }, interaction, parts, reason);
}

/** @param ticket of the first step; the form hands it back */
export function showSecondFactor(
  interaction: Interaction,
  parts: AuthorizeParts,
  ticket: string,
  reason: PageReason = {},
): Promise<Response> {
  const view = frame(interaction, parts, 'second_factor', reason, { ticket });
  return show({ kind: 'second_factor', ...view }, interaction, parts, reason);
}

/** To be shown only to a login that is good enough for the request: the form proves that it was. */
export function showConsent(
  interaction: Interaction,
  parts: AuthorizeParts,
  { account }: BrowserLogin,
  reason: PageReason = {},
): Promise<Response> {
  const scopes = interaction.asked.scopes.map((name) => {
    const description = ownProperty(parts.settings.scopes, name);
    return { name, description: typeof description === 'string' ? description : name };
  });
  const view = frame(interaction, parts, 'consent', reason);
  return show({ kind: 'consent', username: account.username, scopes, ...view }, interaction, parts, reason);
}

/** What all pages with a form have. */
function frame(
  interaction: Interaction,
  { settings, forms }: AuthorizeParts,
  step: FormStep,
  { problem }: PageReason,
  hidden: Readonly<Record<string, string>> = {},
): { form: PageForm; clientName: string; clientUri?: string; problem?: PageProblem } {
  const { client } = interaction.asked;
  return {
    form: {
      action: `${settings.urls.authorize}?${interaction.query}`,
      hidden: { csrf: forms.make(purposeOf(interaction, step)), step, ...hidden },
    },
    clientName: client.name,
    ...(client.uri !== undefined && { clientUri: client.uri }),
    ...(problem !== undefined && { problem }),
  };
}

function show(
  view: PageView,
  { asked, browser }: Interaction,
  { pages }: AuthorizeParts,
  { status = 200, headers = {} }: PageReason,
): Promise<Response> {
  const formTargets = [formTarget(asked.redirectUri)];
  return pages.show(view, { status, headers, formTargets, cookies: browser.setCookies });
}
