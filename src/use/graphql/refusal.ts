import { DoorwardError, isDoorwardError } from '../../core/index.ts';
import { type ErrorResponseOptions, errorResponse } from '../../http/index.ts';

/** Why a whole request is not taken, as HTTP says it: the same status, headers and body that a gate answers. */
export interface Refusal {
  /** 401 for credentials that are present and not good, 503 when nobody can tell. */
  readonly status: 401 | 503;
  /** By lower-case name, `www-authenticate` among those of a 401. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: { readonly error: string };
}

/** Refuses credentials that are not good (RFC 6750 section 3.1). */
export function notGood(form: ErrorResponseOptions): Refusal {
  return refusal(401, new DoorwardError('AUTH_NOT_AUTHENTICATED'), form);
}

/** Refuses when it could not be found out whose the credentials are: they are neither good nor anonymous. */
export function notKnown(cause: unknown, form: ErrorResponseOptions): Refusal {
  const isTold = isDoorwardError(cause) && cause.status === 503;
  return refusal(503, isTold ? cause : new DoorwardError('SERVICE_UNAVAILABLE', { cause }), form);
}

function refusal(status: Refusal['status'], error: DoorwardError, form: ErrorResponseOptions): Refusal {
  const { headers } = errorResponse(error, form);
  // A host counts the bytes of its own text.
  headers.delete('content-length');
  const { message } = new DoorwardError(error.code);
  return { status, headers: Object.fromEntries(headers), body: { error: message } };
}
