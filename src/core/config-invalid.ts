import { DoorwardError } from './errors.ts';

/** The error of an option, key, route or policy that cannot be meant. */
export function configInvalid(field: string, problem: string): DoorwardError {
  return new DoorwardError('CONFIG_INVALID', { field, problem });
}

/**
 * A misspelt option would leave its default in force, which may check less; so it is refused by name, and so
 * are options that are no plain object, whose inherited properties nobody would look at.
 *
 * @throws `CONFIG_INVALID`
 */
export function refuseUnknownOptions(options: unknown, known: Iterable<string>): void {
  if (!isPlainObject(options)) throw configInvalid('options', 'must be a plain object');
  const names = new Set(known);
  for (const name of Object.keys(options)) {
    if (!names.has(name)) throw configInvalid(name, 'is not a known option');
  }
}

/**
 * An option without which less is checked must be left out to be absent: a variable of the environment that is not
 * set must not open an endpoint to everyone.
 *
 * @throws `CONFIG_INVALID`
 */
export function refuseUndefined(options: object, names: readonly string[]): void {
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined && names.includes(name)) throw configInvalid(name, 'must not be undefined, but left out');
  }
}

/** @throws `CONFIG_INVALID` for what is not a whole number between two bounds. */
export function requireWholeNumber(field: string, value: unknown, least: number, most: number): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= least && value <= most) return value;
  throw configInvalid(field, `must be a whole number from ${least} to ${most}`);
}

/** Whether a value is an object that was written down: not one of a class, and no list. */
export function isPlainObject(value: unknown): value is object {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
