import { DoorwardError } from '../core/index.ts';
import { ownProperty } from '../core/own-property.ts';

/** @throws `INPUT_INVALID` when the field is not text. */
export function requiredText(input: unknown, field: string): string {
  const value = ownProperty(input, field);
  return typeof value === 'string' ? value : refuseInput(field, 'must be a string');
}

/** @throws `INPUT_INVALID` naming the field and the problem. */
export function refuseInput(field: string, problem: string): never {
  throw new DoorwardError('INPUT_INVALID', { field, problem });
}
