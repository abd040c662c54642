import { configInvalid } from '../core/config-invalid.ts';

/** A misspelt option would silently do nothing: `peper` would store hashes without one. */
export function refuseUnknownOptions(options: object, known: readonly string[]): void {
  for (const name of Object.keys(options)) {
    if (!known.includes(name)) throw configInvalid(name, 'is not a known option');
  }
}

/** A whole number between two bounds. */
export function checkRange(field: string, value: number, min: number, max: number): void {
  if (Number.isInteger(value) && value >= min && value <= max) return;
  throw configInvalid(field, `must be a whole number from ${min} to ${max}`);
}
