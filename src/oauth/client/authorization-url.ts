import type { Metadata } from './metadata.ts';
import type { Settings } from './options.ts';
import { createNonce, createPkcePair, createState } from './random.ts';
import { type AuthorizationRequestOptions, type AuthorizationTransaction, checkRequest } from './transaction.ts';

export interface AuthorizationRequest {
  /** Send the browser there. */
  readonly url: string;
  /** Keep it for this browser alone: in its session, or in a cookie that is sealed and `HttpOnly`. */
  readonly transaction: AuthorizationTransaction;
}

/** Makes an authorization request with PKCE, state and nonce (RFC 6749 section 4.1.1, RFC 7636 section 4.3). */
export function authorizationRequest(
  { authorizationEndpoint }: Pick<Metadata, 'authorizationEndpoint'>,
  settings: Settings,
  request: AuthorizationRequestOptions,
): AuthorizationRequest {
  checkRequest(request, settings);
  const { loginHint, prompt, acrValues } = request;
  // Whoever holds the browser can take `prompt` out of the address: only `auth_time` tells that he did not.
  const maxAgeSeconds = request.maxAgeSeconds ?? (prompt === 'login' ? 0 : undefined);
  const { issuer, clientId, redirectUri, scope, resource, isOidc, clock } = settings;
  const { codeVerifier, codeChallenge } = createPkcePair();
  const [state, nonce] = [createState(), createNonce()];
  const url = new URL(authorizationEndpoint);
  const parameters = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    scope,
    state,
    code_challenge: codeChallenge,
    code_challenge_method: 'S256',
    nonce: isOidc ? nonce : undefined,
    resource,
    login_hint: loginHint,
    prompt,
    max_age: maxAgeSeconds?.toString(),
    acr_values: acrValues?.join(' '),
  };
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined && value !== '') url.searchParams.set(name, value);
  }
  const asked = {
    ...(maxAgeSeconds !== undefined && { maxAgeSeconds }),
    ...(acrValues !== undefined && { acrValues: [...acrValues] }),
  };
  return { url: url.href, transaction: { issuer, clientId, state, nonce, codeVerifier, createdAt: clock(), ...asked } };
}
