import { html } from './html.ts';
import type { ConsentView, ErrorView, LoginView, Page, PageView, SecondFactorView } from './page.ts';
import { DESCRIBED, nameOf, pageForm, pageFrame, problemBox, titleOf } from './page-frame.ts';

/**
 * Makes the built-in pages: plain HTML without scripts, in light and dark. Give `createAuthorizationServer` a
 * function of your own to replace them; let this one make the pages that you do not replace.
 *
 * @example
 * const page: RenderPage = (view) =>
 *   view.kind === 'error' ? { html: String(html`<!doctype html><title>Sorry</title><p>${view.message}</p>`) } : renderPage(view);
 */
export function renderPage(view: PageView): Page {
  switch (view.kind) {
    case 'login':
      return loginPage(view);
    case 'second_factor':
      return secondFactorPage(view);
    case 'consent':
      return consentPage(view);
    case 'error':
      return errorPage(view);
  }
}

function loginPage({ form, clientName, username, problem }: LoginView): Page {
  const described = problem === 'invalid_credentials' && DESCRIBED;
  const isKnown = username !== '';
  const fields = html`<label for="username">Username</label>
<input id="username" name="username" value="${username}" autocomplete="username" autocapitalize="none" spellcheck="false" required${described}${!isKnown && html` autofocus`}>
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required${described}${isKnown && html` autofocus`}>
<div class="buttons">
<button name="action" value="login" class="primary">Sign in</button>
<button name="action" value="cancel" formnovalidate>Cancel</button>
</div>`;
  return pageFrame(
    titleOf('Sign in', problem),
    html`<h1>Sign in</h1>
<p>to continue to ${nameOf(clientName)}</p>
${problemBox(problem)}
${pageForm(form, fields)}`,
  );
}

/** A recovery code has letters, so phones must not be told to show digits alone. */
function secondFactorPage({ form, clientName, problem }: SecondFactorView): Page {
  const isWrong = problem === 'invalid_second_factor';
  const describedBy = isWrong ? 'hint problem' : 'hint';
  const fields = html`<label for="otp">Code</label>
<p class="soft" id="hint">The six digits that your authenticator app shows, or one of your recovery codes.</p>
<input id="otp" name="otp" autocomplete="one-time-code" autocapitalize="characters" spellcheck="false" required autofocus aria-describedby="${describedBy}"${isWrong && html` aria-invalid="true"`}>
<div class="buttons">
<button name="action" value="verify" class="primary">Continue</button>
<button name="action" value="cancel" formnovalidate>Cancel</button>
</div>`;
  return pageFrame(
    titleOf('Enter your code', problem),
    html`<h1>Enter your code</h1>
<p>to continue to ${nameOf(clientName)}</p>
${problemBox(problem)}
${pageForm(form, fields)}`,
  );
}

/** No button has the focus, so that a key pressed too often does not consent. */
function consentPage({ form, clientName, clientUri, username, scopes, problem }: ConsentView): Page {
  const site = clientUri !== undefined && URL.canParse(clientUri) ? new URL(clientUri).host : '';
  const buttons = html`<div class="buttons">
<button name="action" value="allow" class="primary">Allow</button>
<button name="action" value="deny">Deny</button>
<button name="action" value="switch">Use another account</button>
</div>`;
  return pageFrame(
    titleOf('Allow access', problem),
    html`<h1>Allow access?</h1>
${problemBox(problem)}
<p>${nameOf(clientName)}${site !== '' && html` <span class="soft">(${site})</span>`} asks for access to the account ${nameOf(username)}.</p>
${
  scopes.length > 0 &&
  html`<p id="scopes">It would be able to:</p>
<ul aria-labelledby="scopes">
${scopes.map(({ description }) => html`<li>${description}</li>\n`)}</ul>`
}
${pageForm(form, buttons)}`,
  );
}

function errorPage({ status, message }: ErrorView): Page {
  const title = errorTitle(status);
  return pageFrame(
    title,
    html`<h1>${title}</h1>
<p>${message}</p>
<p class="soft">You can close this page. If you came from an application, start again from there.</p>`,
  );
}

function errorTitle(status: number): string {
  if (status === 429) return 'Too many requests';
  if (status === 503) return 'Not available right now';
  return status >= 500 ? 'Something went wrong' : 'This request cannot be answered';
}
