import { DoorwardError } from '../core/errors.ts';

const MAX_LENGTH = 256;

/** Keeps the space that one key takes bounded: whoever presents a proof may have chosen it. */
export function assertOnceKey(key: string): void {
  if (key.length > MAX_LENGTH) {
    throw new DoorwardError('INPUT_INVALID', { field: 'key', problem: `must have at most ${MAX_LENGTH} characters` });
  }
}
