import { configInvalid } from '../core/config-invalid.ts';

/** A whole number between two bounds. */
export function checkRange(field: string, value: number, min: number, max: number): void {
  if (Number.isInteger(value) && value >= min && value <= max) return;
  throw configInvalid(field, `must be a whole number from ${min} to ${max}`);
}
