import { publishAudit } from '../../core/index.ts';
import { originOf } from '../../core/origin.ts';
import { readFormPairs } from '../../http/body.ts';
import { bodyLimits, type RequestInfo, type RouteHandler, readForm } from '../../http/index.ts';
import { report, toOAuthError } from '../answers.ts';
import { OAuthError } from '../oauth-error.ts';
import type { Settings } from '../settings.ts';
import { AUTHORIZATION_PARAMETERS, readAuthorizationRequest } from './authorization-request.ts';
import { answeringClient, redirect } from './authorization-response.ts';
import { type NoTarget, readQuery, readTarget } from './authorization-target.ts';
import { createBrowsers } from './browser.ts';
import { submitConsent } from './consent-step.ts';
import { createFormTokens, type FormStep } from './form-token.ts';
import { type AuthorizeParts, type Fields, type Interaction, purposeOf } from './interaction.ts';
import { submitLogin, submitSecondFactor } from './login-step.ts';
import { createPages } from './pages.ts';
import { askAgain, proceed } from './proceed.ts';
import { isSameOrigin } from './same-origin.ts';

/** The authorization endpoint (RFC 6749 section 3.1). */
export interface AuthorizeEndpoint {
  readonly get: RouteHandler;
  readonly post: RouteHandler;
}

/**
 * Makes the authorization endpoint: it checks the request, asks the person at the browser for a login and for consent
 * where they are needed, and answers the client with a code or an error, through the browser.
 */
export function createAuthorizeEndpoint(settings: Settings): AuthorizeEndpoint {
  const parts: AuthorizeParts = {
    settings,
    pages: createPages(settings),
    forms: createFormTokens(settings),
    browsers: createBrowsers(settings),
  };

  async function begin(
    request: Request,
    info: RequestInfo,
    go: (interaction: Interaction) => Promise<Response>,
  ): Promise<Response> {
    const query = new URL(request.url).search.slice(1);
    const pairs = readQuery(query);
    const target = readTarget(pairs, settings.clients);
    if ('problem' in target) return refuse(target, info, parts);
    return answeringClient({ target, info }, settings, async () => {
      const asked = readAuthorizationRequest(pairs ?? [], target, settings);
      return go({ asked, query, info, browser: await parts.browsers.read(request) });
    });
  }

  return {
    get: (request, info) => begin(request, info, (interaction) => proceed(interaction, parts)),

    async post(request, info) {
      try {
        if (new URL(request.url).search === '') return await toGet(request, settings);
        if (!isSameOrigin(request, settings.issuer)) {
          return await parts.pages.refuse(403, 'This form was not sent from a page of this site.', info);
        }
        const fields = await readForm(request, bodyLimits.auth);
        return await begin(request, info, (interaction) => submit(interaction, parts, fields));
      } catch (error) {
        return refuseForm(error, info, parts);
      }
    },
  };
}

/** A form that is not one of ours, for this browser and this request, has no effect. */
async function submit(interaction: Interaction, parts: AuthorizeParts, fields: Fields): Promise<Response> {
  const step = fields.get('step');
  const action = fields.get('action');
  if (!isStep(step) || !parts.forms.isGood(fields.get('csrf'), purposeOf(interaction, step))) {
    return askAgain(interaction, parts);
  }
  if (step === 'consent') return submitConsent(interaction, parts, action);
  if (action === 'cancel') throw new OAuthError('access_denied');
  return step === 'login' ? submitLogin(interaction, parts, fields) : submitSecondFactor(interaction, parts, fields);
}

function isStep(step: string | undefined): step is FormStep {
  return step === 'login' || step === 'second_factor' || step === 'consent';
}

/**
 * An authorization request may come as a form (OpenID Connect Core section 3.1.2.1). It comes from another site, and
 * so without cookies: it goes on as a GET, with the parameters of the protocol and nothing else that a form may hold.
 */
async function toGet(request: Request, { urls }: Settings): Promise<Response> {
  const pairs = await readFormPairs(request, bodyLimits.auth);
  const query = pairs
    .filter(([name]) => AUTHORIZATION_PARAMETERS.has(name))
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return redirect(`${urls.authorize}?${query.join('&')}`);
}

/** Without a verified address to return to the person is told, and nobody else. */
function refuse({ problem, client }: NoTarget, info: RequestInfo, { pages }: AuthorizeParts): Promise<Response> {
  if (client === undefined)
    publishAudit({ type: 'client.rejected', reason: 'authorization_request', ...originOf(info) });
  else {
    publishAudit({
      type: 'authorization.refused',
      clientId: client.id,
      error: 'redirect_uri_not_registered',
      ...originOf(info),
    });
  }
  return pages.refuse(400, problem, info);
}

function refuseForm(error: unknown, info: RequestInfo, { settings, pages }: AuthorizeParts): Promise<Response> {
  const { status } = toOAuthError(error);
  if (status >= 500) report(error, info, settings.onError);
  return pages.refuse(status, status >= 500 ? 'Something went wrong.' : 'The form cannot be read.', info);
}
