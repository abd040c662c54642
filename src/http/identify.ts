import {
  type Authenticator,
  type CallerAuthenticator,
  DoorwardError,
  errorCatalogue,
  type Principal,
  principalFrom,
} from '../core/index.ts';
import { challenge, type TokenScheme } from './challenge.ts';
import { readCredentials } from './credentials.ts';
import type { RequestInfo } from './handler.ts';
import { type BodyKey, type ErrorResponseOptions, errorResponse, json } from './responses.ts';

/** How a request is refused, by the scheme of its token. */
export type RefusalForms = Readonly<Record<TokenScheme, ErrorResponseOptions>>;

/** Who is asking, perhaps nobody known, and how to refuse it. */
export interface Asking {
  readonly principal: Principal | undefined;
  readonly form: ErrorResponseOptions;
}

/** Answers with the refusal of credentials that are present and not good. */
export type Identify = (request: Request, info: RequestInfo, forms: RefusalForms) => Promise<Asking | Response>;

export function refusalForms(bodyKey: BodyKey, resourceMetadata: string | undefined): RefusalForms {
  const common = { bodyKey, ...(resourceMetadata !== undefined && { resourceMetadata }) };
  return { Bearer: common, DPoP: { ...common, scheme: 'DPoP' } };
}

/** Makes the one way from a request to a principal. */
export function createIdentify(authenticate: Authenticator, authenticateCaller: CallerAuthenticator): Identify {
  return async (request, info, forms) => {
    const credentials = readCredentials(request.headers);
    if (credentials.kind === 'none') {
      const answer = await authenticateCaller(info);
      const principal = principalFrom(answer);
      const isRefused = answer !== undefined && principal === undefined;
      return isRefused ? refusal(forms.Bearer) : { principal, form: forms.Bearer };
    }
    const form = forms[credentials.scheme];
    if (hasQueryToken(request)) return ambiguous(form);
    if (credentials.kind === 'invalid') {
      const lacksProof = credentials.error === 'invalid_dpop_proof';
      return refusal({ ...form, presented: true, lacksProof });
    }
    const principal = principalFrom(await authenticate(credentials.token, callerOf(request, info, credentials)));
    return principal === undefined ? refusal({ ...form, presented: true }) : { principal, form };
  };
}

export function refusal(form: ErrorResponseOptions): Response {
  return errorResponse(new DoorwardError('AUTH_NOT_AUTHENTICATED'), form);
}

/** The proof goes to the authenticator, which alone knows what the token is bound to. */
export function callerOf(
  { method, url }: Request,
  info: RequestInfo,
  { proof }: { readonly proof?: string },
): RequestInfo {
  return proof === undefined ? info : { ...info, dpop: { proof, method, url } };
}

/** A token in the query counts for nothing; beside another one nobody knows which is meant (RFC 6750 section 3.1). */
function hasQueryToken({ url }: Request): boolean {
  const start = url.indexOf('?');
  if (start === -1) return false;
  // Few queries have to be taken apart: the name stands there as it is, or with an escaped letter.
  const query = url.slice(start + 1);
  return /access_token|%/.test(query) && new URLSearchParams(query).has('access_token');
}

function ambiguous({ scheme = 'Bearer', resourceMetadata }: ErrorResponseOptions): Response {
  const parameters = { error: 'invalid_request', resource_metadata: resourceMetadata };
  const headers = { 'www-authenticate': challenge(scheme, parameters) };
  return json(400, { error: errorCatalogue.INPUT_INVALID.message }, headers);
}
