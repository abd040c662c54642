import { DoorwardError } from './errors.ts';

/** The error of an option, key, route or policy that cannot be meant. */
export function configInvalid(field: string, problem: string): DoorwardError {
  return new DoorwardError('CONFIG_INVALID', { field, problem });
}
