import { type DoorwardError, errorCatalogue, isDoorwardError } from '../core/index.ts';

/** The name under which a 401 body tells what is wrong. */
export type BodyKey = 'error' | 'detail';

/** How an error becomes an answer. */
export interface ErrorResponseOptions {
  /** The name of the message in the body of a 401; other statuses always use `error`. @default 'error' */
  readonly bodyKey?: BodyKey;
  /** Whether the request carried credentials; the challenge of a 401 then says `invalid_token` (RFC 6750 section 3.1). */
  readonly presented?: boolean;
  /** How recent the login has to be, in seconds; told in the challenge (RFC 9470 section 3). */
  readonly maxAuthAgeSeconds?: number;
  /** Gets whatever is answered with 500 and above. */
  readonly onError?: (error: unknown) => void;
}

/**
 * Makes a JSON answer that no cache keeps.
 *
 * @example
 * json(201, { message: 'Created' });
 */
export function json(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Response {
  const bytes = Buffer.from(JSON.stringify(body));
  return new Response(bytes, {
    status,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'content-length': String(bytes.length),
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      ...headers,
    },
  });
}

/**
 * Turns an error into the answer that a client gets: the one place for status, body and headers. An
 * error that is not of this library is a 500 without a word about its cause.
 *
 * @example
 * errorResponse(new DoorwardError('HTTP_NOT_FOUND')); // 404 {"error":"Not found"}
 */
export function errorResponse(error: unknown, options: ErrorResponseOptions = {}): Response {
  const known = isDoorwardError(error) ? error : undefined;
  const status = known?.status ?? 500;
  if (status >= 500) report(error, options);
  if (known === undefined || status === 500) return json(500, { error: errorCatalogue.INTERNAL.message });
  if (status === 401) return unauthorized(known, options);
  if (status === 403) return forbidden(known);
  const message = status > 500 ? errorCatalogue[known.code].message : known.message;
  return json(status, { error: message }, retryAfter(known));
}

function unauthorized(
  error: DoorwardError,
  { bodyKey = 'error', presented, maxAuthAgeSeconds }: ErrorResponseOptions,
): Response {
  let challenge = 'Bearer';
  if (error.code === 'AUTH_REAUTHENTICATION_REQUIRED') {
    challenge += ' error="insufficient_user_authentication"';
    if (maxAuthAgeSeconds !== undefined) challenge += `, max_age=${maxAuthAgeSeconds}`;
  } else if (presented === true) {
    challenge += ' error="invalid_token"';
  }
  return json(401, { [bodyKey]: errorCatalogue[error.code].message }, { 'www-authenticate': challenge });
}

function forbidden(error: DoorwardError): Response {
  const { message } = errorCatalogue.AUTHZ_FORBIDDEN;
  const body = error.message === message ? { error: message } : { error: message, message: error.message };
  return json(403, body, { 'www-authenticate': 'Bearer error="insufficient_scope"' });
}

function retryAfter({ retryAfterSeconds }: DoorwardError): Record<string, string> {
  return retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
}

/** A listener that throws does not change the answer. */
function report(error: unknown, { onError }: ErrorResponseOptions): void {
  try {
    onError?.(error);
  } catch {
    // Nobody is left to tell.
  }
}
