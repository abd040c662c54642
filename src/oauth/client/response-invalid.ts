import { DoorwardError } from '../../core/index.ts';

/** The error of an answer that is not one to what was asked. The value itself is in no error. */
export function responseInvalid(field: string, problem: string): DoorwardError {
  return new DoorwardError('OAUTH_RESPONSE_INVALID', { field, problem });
}

/** An `error` as RFC 6749 section 4.1.2.1 has it: anything else is not passed on. */
export function isErrorCode(value: unknown): value is string {
  return typeof value === 'string' && /^[\x20\x21\x23-\x5B\x5D-\x7E]{1,128}$/.test(value);
}
