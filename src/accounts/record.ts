import { ownProperty } from '../core/own-property.ts';

const MAX_DATE = 8.64e15;

/**
 * Reads properties of what a store returned: own ones of the right type only. `null` counts as absent, as
 * databases have it.
 *
 * @throws an `Error` naming the property that is wrong, never its value.
 */
export function text(record: unknown, name: string): string {
  const value = ownProperty(record, name);
  return typeof value === 'string' ? value : malformed(name);
}

export function optionalText(record: unknown, name: string): string | undefined {
  return (ownProperty(record, name) ?? undefined) === undefined ? undefined : text(record, name);
}

export function textList(record: unknown, name: string): readonly string[] {
  return texts(ownProperty(record, name), name);
}

export function optionalTextList(record: unknown, name: string): readonly string[] | undefined {
  return (ownProperty(record, name) ?? undefined) === undefined ? undefined : textList(record, name);
}

/** The same of a value that is no property. */
export function texts(value: unknown, name: string): readonly string[] {
  if (!Array.isArray(value)) return malformed(name);
  return Object.freeze(Array.from(value, (item: unknown) => (typeof item === 'string' ? item : malformed(name))));
}

export function flag(record: unknown, name: string): boolean {
  const value = ownProperty(record, name);
  return typeof value === 'boolean' ? value : malformed(name);
}

/** A time in epoch milliseconds, or whatever else is a number within the range of dates. */
export function time(record: unknown, name: string): number {
  const value = ownProperty(record, name);
  return typeof value === 'number' && Math.abs(value) <= MAX_DATE ? value : malformed(name);
}

/** A time in whole seconds since the epoch. */
export function seconds(record: unknown, name: string): number {
  const value = ownProperty(record, name);
  return isSeconds(value) ? value : malformed(name);
}

/** Whether a value is a time in whole seconds since the epoch, within the range of dates. */
export function isSeconds(value: unknown): value is number {
  return Number.isInteger(value) && Math.abs(Number(value)) <= MAX_DATE / 1_000;
}

export function malformed(name: string): never {
  throw new Error(`the store returned a record without a usable "${name}"`);
}
