import { readAudience } from '../audience.ts';
import { OAuthError } from '../oauth-error.ts';
import { type Parameters, parametersOf } from '../parameters.ts';
import { isCodeChallenge } from '../pkce.ts';
import { readScope } from '../scope.ts';
import type { Settings } from '../settings.ts';
import type { AuthorizationTarget, Pairs } from './authorization-target.ts';
import { subjectOfHint } from './id-token-hint.ts';

/** A checked authorization request. */
export interface AuthorizationRequest extends AuthorizationTarget {
  readonly scopes: readonly string[];
  readonly audience: readonly string[];
  readonly codeChallenge: string;
  readonly nonce: string | undefined;
  /** What is known of `prompt`: `none` alone, or any of the others. */
  readonly prompt: ReadonlySet<string>;
  /** In seconds. */
  readonly maxAge: number | undefined;
  /** Of which a login must have one; empty for any. */
  readonly acrValues: readonly string[];
  readonly loginHint: string | undefined;
  /** The `sub` of the only account that may answer. */
  readonly hintedSubject: string | undefined;
  readonly dpopThumbprint: string | undefined;
}

/** All parameters that are looked at; any other is ignored (RFC 6749 section 3.1). */
export const AUTHORIZATION_PARAMETERS: ReadonlySet<string> = new Set([
  ...['client_id', 'redirect_uri', 'response_type', 'response_mode', 'scope', 'state', 'nonce', 'resource'],
  ...['code_challenge', 'code_challenge_method', 'dpop_jkt', 'prompt', 'max_age', 'acr_values', 'login_hint'],
  ...['id_token_hint', 'request', 'request_uri', 'registration'],
]);

const MAX_NONCE = 512;
/** At most 256 characters that can be shown in one line. */
const LOGIN_HINT = /^[^\p{Cc}\p{Surrogate}\p{Zl}\p{Zp}]{1,256}$/u;
const SECONDS = /^\d{1,9}$/;
/** A JWK thumbprint (RFC 7638) has the form of a challenge: a SHA-256 in base64url. */
const isThumbprint = isCodeChallenge;

/**
 * Reads the rest of an authorization request, whose target is known.
 *
 * @throws `OAuthError` that the client is told by a redirect.
 */
export function readAuthorizationRequest(
  pairs: Pairs,
  target: AuthorizationTarget,
  settings: Pick<Settings, 'resource' | 'keys' | 'issuer'>,
): AuthorizationRequest {
  const parameters = parametersOf(pairs.filter(([name]) => AUTHORIZATION_PARAMETERS.has(name)));
  if ('repeated' in parameters) throw invalid('A parameter is given twice');
  refuseUnsupported(parameters);
  if (!target.client.grantTypes.includes('authorization_code')) throw new OAuthError('unauthorized_client');
  return {
    ...target,
    codeChallenge: readChallenge(parameters),
    scopes: readScope(parameters.get('scope'), target.client),
    audience: readAudience(parameters.all('resource'), target.client, settings),
    nonce: readNonce(parameters.get('nonce')),
    prompt: readPrompt(parameters.get('prompt')),
    maxAge: readMaxAge(parameters.get('max_age')),
    acrValues: (parameters.get('acr_values') ?? '').split(' ').filter((value) => value !== ''),
    loginHint: readLoginHint(parameters.get('login_hint')),
    hintedSubject: readIdTokenHint(parameters.get('id_token_hint'), target, settings),
    dpopThumbprint: readThumbprint(parameters.get('dpop_jkt')),
  };
}

/** Request objects come first: with one, nothing else of the query would count. */
function refuseUnsupported(parameters: Parameters): void {
  if (parameters.get('request') !== undefined) throw new OAuthError('request_not_supported');
  if (parameters.get('request_uri') !== undefined) throw new OAuthError('request_uri_not_supported');
  if (parameters.get('registration') !== undefined) throw new OAuthError('registration_not_supported');
  const responseType = parameters.get('response_type');
  if (responseType === undefined) throw invalid('The parameter response_type is missing');
  if (responseType !== 'code') throw new OAuthError('unsupported_response_type');
  if ((parameters.get('response_mode') ?? 'query') !== 'query')
    throw invalid('Only the response mode query is supported');
}

/** Without a method it would be `plain` (RFC 7636 section 4.3), which protects nothing. */
function readChallenge(parameters: Parameters): string {
  const challenge = parameters.get('code_challenge');
  if (challenge === undefined) throw invalid('The parameter code_challenge is missing');
  if (parameters.get('code_challenge_method') !== 'S256') throw invalid('The code_challenge_method must be S256');
  if (!isCodeChallenge(challenge)) throw invalid('The code_challenge must be a SHA-256 in base64url');
  return challenge;
}

function readNonce(nonce: string | undefined): string | undefined {
  if (nonce !== undefined && nonce.length > MAX_NONCE) throw invalid('The nonce is too long');
  return nonce;
}

/** Unknown values are ignored, but not beside `none` (OpenID Connect Core section 3.1.2.1). */
function readPrompt(text = ''): ReadonlySet<string> {
  const values = new Set(text.split(' ').filter((value) => value !== ''));
  if (values.has('none') && values.size > 1) throw invalid('The prompt none stands alone');
  return values;
}

function readMaxAge(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!SECONDS.test(text)) throw invalid('The max_age must be a number of seconds');
  return Number(text);
}

function readLoginHint(hint: string | undefined): string | undefined {
  if (hint !== undefined && !LOGIN_HINT.test(hint)) throw invalid('The login_hint is not a name');
  return hint;
}

/** A hint that is left unchecked would let an account answer that the client does not mean. */
function readIdTokenHint(
  hint: string | undefined,
  { client }: AuthorizationTarget,
  settings: Pick<Settings, 'keys' | 'issuer'>,
): string | undefined {
  if (hint === undefined) return undefined;
  const subject = subjectOfHint(hint, client, settings);
  if (subject === undefined) throw invalid('The id_token_hint is not an ID Token of this server for this client');
  return subject;
}

function readThumbprint(thumbprint: string | undefined): string | undefined {
  if (thumbprint === undefined) return undefined;
  if (!isThumbprint(thumbprint)) throw invalid('The dpop_jkt must be a SHA-256 in base64url');
  return thumbprint;
}

function invalid(problem: string): OAuthError {
  return new OAuthError('invalid_request', { problem });
}
