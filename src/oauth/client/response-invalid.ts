import { DoorwardError } from '../../core/index.ts';

/** The error of an answer that is not one to what was asked. The value itself is in no error. */
export function responseInvalid(field: string, problem: string): DoorwardError {
  return new DoorwardError('OAUTH_RESPONSE_INVALID', { field, problem });
}
