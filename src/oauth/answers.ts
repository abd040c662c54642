import { isDoorwardError } from '../core/index.ts';
import { type ErrorListener, json, type RequestInfo } from '../http/index.ts';
import { OAuthError } from './oauth-error.ts';

/** Answers that carry tokens and errors are for nobody's cache (RFC 6749 section 5.1). */
export const NO_STORE = { 'cache-control': 'no-store', pragma: 'no-cache' } as const;

/** A JSON answer of a protocol endpoint. */
export function answer(status: number, body: object, headers: Readonly<Record<string, string>> = {}): Response {
  return json(status, body, { ...NO_STORE, ...headers });
}

/**
 * Runs a protocol endpoint and turns whatever it throws into the error answer of RFC 6749 section 5.2: never HTML,
 * never a word about the cause.
 */
export async function answering(
  info: RequestInfo,
  onError: ErrorListener,
  run: () => Promise<Response>,
): Promise<Response> {
  try {
    return await run();
  } catch (error) {
    const refusal = toOAuthError(error);
    if (refusal.status >= 500) report(error, info, onError);
    const { code, description, status, headers } = refusal;
    return answer(
      status,
      { error: code, ...(description !== undefined && { error_description: description }) },
      headers,
    );
  }
}

/** What an error means to a client. */
export function toOAuthError(error: unknown): OAuthError {
  if (error instanceof OAuthError) return error;
  if (!isDoorwardError(error)) return new OAuthError('server_error', { status: 500 });
  switch (error.code) {
    case 'AUTH_INVALID_GRANT':
      return new OAuthError('invalid_grant');
    case 'SERVICE_UNAVAILABLE':
    case 'SERVICE_BUSY':
      return new OAuthError('temporarily_unavailable', { status: 503, headers: retryAfter(error.retryAfterSeconds) });
    case 'HTTP_TOO_MANY_REQUESTS':
      return new OAuthError('temporarily_unavailable', {
        problem: 'Too many requests',
        status: 429,
        headers: retryAfter(error.retryAfterSeconds),
      });
    case 'HTTP_BODY_TOO_LARGE':
      return new OAuthError('invalid_request', { problem: 'The body is too large', status: 413 });
    case 'HTTP_UNSUPPORTED_MEDIA_TYPE':
      return new OAuthError('invalid_request', { problem: 'The body must be application/x-www-form-urlencoded' });
    case 'INPUT_INVALID':
      return new OAuthError('invalid_request', { problem: 'The request is malformed' });
    default:
      return new OAuthError('server_error', { status: 500 });
  }
}

function retryAfter(seconds: number | undefined): Record<string, string> {
  return seconds === undefined ? {} : { 'retry-after': String(seconds) };
}

/** A listener that throws does not change the answer. */
export function report(error: unknown, info: RequestInfo, onError: ErrorListener): void {
  try {
    onError(error, info);
  } catch {
    // Nobody is left to tell.
  }
}
