/** The stable name of an error; docs/errors.md lists them all. */
export type ErrorCode =
  | 'CONFIG_INVALID'
  | 'INPUT_INVALID'
  | 'ACCOUNT_EXISTS'
  | 'AUTH_NOT_AUTHENTICATED'
  | 'AUTH_INVALID_CREDENTIALS'
  | 'AUTH_SECOND_FACTOR_REQUIRED'
  | 'AUTH_REAUTHENTICATION_REQUIRED'
  | 'AUTH_INVALID_GRANT'
  | 'AUTHZ_FORBIDDEN'
  | 'AUTHZ_FILTER_INEXACT'
  | 'OAUTH_REFUSED'
  | 'OAUTH_RESPONSE_INVALID'
  | 'HTTP_NOT_FOUND'
  | 'HTTP_METHOD_NOT_ALLOWED'
  | 'HTTP_BODY_TOO_LARGE'
  | 'HTTP_UNSUPPORTED_MEDIA_TYPE'
  | 'HTTP_TOO_MANY_REQUESTS'
  | 'INTERNAL'
  | 'SERVICE_BUSY'
  | 'SERVICE_UNAVAILABLE';

export interface ErrorEntry {
  /** The HTTP status that the error becomes. */
  readonly status: number;
  /** The text that a client may see. */
  readonly message: string;
}

/** Every code, with its status and its text. */
export const errorCatalogue: Readonly<Record<ErrorCode, ErrorEntry>> = {
  CONFIG_INVALID: { status: 500, message: 'Invalid configuration' },
  INPUT_INVALID: { status: 400, message: 'Invalid request' },
  ACCOUNT_EXISTS: { status: 400, message: 'Username already exists' },
  AUTH_NOT_AUTHENTICATED: { status: 401, message: 'Not authenticated' },
  AUTH_INVALID_CREDENTIALS: { status: 401, message: 'Invalid credentials' },
  AUTH_SECOND_FACTOR_REQUIRED: { status: 401, message: 'Second factor required' },
  AUTH_REAUTHENTICATION_REQUIRED: { status: 401, message: 'A more recent or stronger login is required' },
  AUTH_INVALID_GRANT: { status: 400, message: 'Invalid grant' },
  AUTHZ_FORBIDDEN: { status: 403, message: 'Forbidden' },
  AUTHZ_FILTER_INEXACT: { status: 500, message: 'Filter cannot be expressed exactly' },
  OAUTH_REFUSED: { status: 400, message: 'The authorization server refused' },
  OAUTH_RESPONSE_INVALID: { status: 400, message: 'Invalid authorization response' },
  HTTP_NOT_FOUND: { status: 404, message: 'Not found' },
  HTTP_METHOD_NOT_ALLOWED: { status: 405, message: 'Method not allowed' },
  HTTP_BODY_TOO_LARGE: { status: 413, message: 'Request body too large' },
  HTTP_UNSUPPORTED_MEDIA_TYPE: { status: 415, message: 'Unsupported media type' },
  HTTP_TOO_MANY_REQUESTS: { status: 429, message: 'Too many requests' },
  INTERNAL: { status: 500, message: 'Internal server error' },
  SERVICE_BUSY: { status: 503, message: 'Service Unavailable' },
  SERVICE_UNAVAILABLE: { status: 503, message: 'Service Unavailable' },
};

/** What a login must be like: not older, or of one of these classes (RFC 9470 section 3). */
export interface StepUp {
  readonly maxAgeSeconds?: number;
  readonly acrValues?: readonly string[];
}

export interface ErrorDetails {
  /** The option, parameter or claim that was wrong. */
  readonly field?: string;
  /** What was wrong with it, in words fit for the caller; never a secret, a token or a hash. */
  readonly problem?: string;
  /** When to try again, in whole seconds. */
  readonly retryAfterSeconds?: number;
  /** What kind of login would be good enough. */
  readonly stepUp?: StepUp;
  /** The error code of another authorization server (RFC 6749 sections 4.1.2.1 and 5.2). */
  readonly oauthError?: string;
  /** What went wrong underneath; for the log, never for a client. */
  readonly cause?: unknown;
}

const BRAND = Symbol.for('doorward.error');

/**
 * The one error type of the library. Tell errors apart by `code`; recognise them with
 * {@link isDoorwardError}, which also works across the ESM and CommonJS copies of the package.
 *
 * @example
 * throw new DoorwardError('INPUT_INVALID', { field: 'email', problem: 'is not an e-mail address' });
 */
export class DoorwardError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly field?: string;
  readonly retryAfterSeconds?: number;
  readonly stepUp?: StepUp;
  readonly oauthError?: string;

  constructor(code: ErrorCode, details: ErrorDetails = {}) {
    const { field, problem, retryAfterSeconds, stepUp, oauthError, cause } = details;
    super(messageOf(code, field, problem), cause === undefined ? undefined : { cause });
    this.name = 'DoorwardError';
    this.code = code;
    this.status = errorCatalogue[code].status;
    if (field !== undefined) this.field = field;
    if (retryAfterSeconds !== undefined) this.retryAfterSeconds = retryAfterSeconds;
    if (stepUp !== undefined) this.stepUp = stepUp;
    if (oauthError !== undefined) this.oauthError = oauthError;
    Object.defineProperty(this, BRAND, { value: true });
  }
}

/**
 * Tells whether an error came from this library, whichever copy of it threw.
 *
 * @example
 * if (isDoorwardError(error) && error.code === 'AUTHZ_FORBIDDEN') respond(403);
 */
export function isDoorwardError(error: unknown): error is DoorwardError {
  return typeof error === 'object' && error !== null && (error as Record<symbol, unknown>)[BRAND] === true;
}

function messageOf(code: ErrorCode, field: string | undefined, problem: string | undefined): string {
  if (field === undefined || problem === undefined) return problem ?? errorCatalogue[code].message;
  return `${field} ${problem}`;
}
