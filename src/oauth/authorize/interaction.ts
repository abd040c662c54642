import type { RequestInfo } from '../../http/index.ts';
import type { Settings } from '../settings.ts';
import type { AuthorizationRequest } from './authorization-request.ts';
import type { Browser, Browsers } from './browser.ts';
import type { FormPurpose, FormStep, FormTokens } from './form-token.ts';
import type { Pages } from './pages.ts';

/** One request of a browser that is on its way through the authorization endpoint. */
export interface Interaction {
  readonly asked: AuthorizationRequest;
  /** The query of the authorization request, as it came. */
  readonly query: string;
  readonly browser: Browser;
  readonly info: RequestInfo;
}

/** What every step of the endpoint works with. */
export interface AuthorizeParts {
  readonly settings: Settings;
  readonly pages: Pages;
  readonly forms: FormTokens;
  readonly browsers: Browsers;
}

/** The fields of a form of ours. */
export type Fields = ReadonlyMap<string, string>;

/** What the form of a step is bound to. */
export function purposeOf({ asked, query, browser }: Interaction, step: FormStep): FormPurpose {
  return { step, query, browserId: browser.id, sessionId: browser.login?.session.id ?? '', scopes: asked.scopes };
}
