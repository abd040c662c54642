import { configInvalid } from '../core/config-invalid.ts';
import { type Clock, systemClock } from '../core/index.ts';

/** Absent is absent, but a property that is there must say something: `issuer: undefined` would check nothing. */
export function readText(options: object, name: string): string | undefined {
  if (!Object.hasOwn(options, name)) return undefined;
  const value: unknown = Reflect.get(options, name);
  if (typeof value !== 'string' || value === '')
    throw configInvalid(name, 'must be a non-empty string when it is given');
  return value;
}

/** `false` when the property is absent; what is there must be a boolean. */
export function readFlag(options: object, name: string): boolean {
  if (!Object.hasOwn(options, name)) return false;
  const value: unknown = Reflect.get(options, name);
  if (typeof value !== 'boolean') throw configInvalid(name, 'must be true or false when it is given');
  return value;
}

/** One non-empty string or several; `undefined` only when the property is absent. */
export function readTexts(options: object, name: string): readonly string[] | undefined {
  if (!Object.hasOwn(options, name)) return undefined;
  const value: unknown = Reflect.get(options, name);
  const values: readonly unknown[] = Array.isArray(value) ? [...value] : [value];
  if (values.length === 0 || !values.every(isNonEmptyText)) {
    throw configInvalid(name, 'must be a non-empty string, or a non-empty list of them, when it is given');
  }
  return values;
}

/** The value of a `typ` header: printable ASCII, which every implementation encodes alike. */
export function requireMediaType(name: string, value: string): string {
  if (!/^[\x21-\x7e]+$/.test(value)) throw configInvalid(name, 'must be a media type without spaces');
  return value;
}

/** A number of seconds between two bounds. */
export function requireSeconds(name: string, value: unknown, least: number, most: number): number {
  if (typeof value !== 'number' || !(value >= least && value <= most)) {
    throw configInvalid(name, `must be a number of seconds from ${least} to ${most}`);
  }
  return value;
}

/** The given clock, or the machine's. */
export function readClock(clock: Clock = systemClock): Clock {
  if (typeof clock !== 'function') throw configInvalid('clock', 'must be a function');
  return clock;
}

function isNonEmptyText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
