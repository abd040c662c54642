import { createHash } from 'node:crypto';

/** A short name of a JSON value: equal values have equal digests, whatever objects they are made of. */
export function digest(value) {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 16);
}
