import { type DoorwardError, errorCatalogue, isDoorwardError, type StepUp } from '../core/index.ts';
import { isAcrValue } from '../core/step-up.ts';
import { challenge, type TokenScheme } from './challenge.ts';

/** The name under which a 401 body tells what is wrong. */
export type BodyKey = 'error' | 'detail';

type Parameters = Readonly<Record<string, string | undefined>>;

const SCOPE_TOKEN = /^[\x21\x23-\x5B\x5D-\x7E]+$/;

/** How an error becomes an answer. */
export interface ErrorResponseOptions {
  /** The name of the message in the body of a 401; other statuses always use `error`. @default 'error' */
  readonly bodyKey?: BodyKey;
  /** Whether the request carried credentials; the challenge of a 401 then says `invalid_token` (RFC 6750 section 3.1). */
  readonly presented?: boolean;
  /** Whether the proof beside the token was missing or none; the challenge then says `invalid_dpop_proof` (RFC 9449 section 7.1). */
  readonly lacksProof?: boolean;
  /** The scheme that the token was presented with; its challenge is the one that the client can answer. @default 'Bearer' */
  readonly scheme?: TokenScheme;
  /** Where the metadata of the protected resource is; told in every challenge (RFC 9728 section 5.1). */
  readonly resourceMetadata?: string;
  /** The scope that would do; told in the challenge of a 403 (RFC 6750 section 3). */
  readonly scope?: string;
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
  if (status === 403) return forbidden(known, options);
  const message = status > 500 ? errorCatalogue[known.code].message : known.message;
  return json(status, { error: message }, retryAfter(known));
}

function unauthorized({ code, stepUp }: DoorwardError, options: ErrorResponseOptions): Response {
  const parameters =
    code === 'AUTH_REAUTHENTICATION_REQUIRED' ? stepUpParameters(stepUp) : { error: problemOf(options) };
  const body = { [options.bodyKey ?? 'error']: errorCatalogue[code].message };
  return json(401, body, { 'www-authenticate': challengeWith(parameters, options) });
}

function problemOf({ presented, lacksProof }: ErrorResponseOptions): string | undefined {
  if (lacksProof === true) return 'invalid_dpop_proof';
  return presented === true ? 'invalid_token' : undefined;
}

/** The challenge of RFC 9470 section 3. The error may be one of your own: only what is well-formed goes into a header. */
function stepUpParameters({ maxAgeSeconds, acrValues = [] }: StepUp = {}): Parameters {
  return {
    error: 'insufficient_user_authentication',
    error_description: errorCatalogue.AUTH_REAUTHENTICATION_REQUIRED.message,
    max_age: Number.isSafeInteger(maxAgeSeconds) ? String(maxAgeSeconds) : undefined,
    acr_values: acrValues.filter(isAcrValue).join(' '),
  };
}

/** A scope that is no scope token (RFC 6749 section 3.3) is left out. */
function forbidden(error: DoorwardError, options: ErrorResponseOptions): Response {
  const { scope = '' } = options;
  const { message } = errorCatalogue.AUTHZ_FORBIDDEN;
  const body = error.message === message ? { error: message } : { error: message, message: error.message };
  const parameters = { error: 'insufficient_scope', scope: SCOPE_TOKEN.test(scope) ? scope : undefined };
  return json(403, body, { 'www-authenticate': challengeWith(parameters, options) });
}

function challengeWith(parameters: Parameters, { scheme = 'Bearer', resourceMetadata }: ErrorResponseOptions): string {
  return challenge(scheme, { ...parameters, resource_metadata: resourceMetadata });
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
