import { ownProperty } from '../core/own-property.ts';
import type { Account } from './ports.ts';

const MAX_DATE = 8.64e15;

/**
 * Makes an account of what a store returned, by own properties of the right types only. `null` counts
 * as absent, as databases have it. Roles that are not a list of strings make the record unusable: no
 * guess about roles is a safe one.
 *
 * @returns `undefined` when there is no record.
 * @throws an `Error` naming the first property that is wrong, never its value.
 */
export function readAccount(record: unknown): Account | undefined {
  if (record === undefined || record === null) return undefined;
  const email = optionalText(record, 'email');
  const department = optionalText(record, 'department');
  return Object.freeze({
    id: text(record, 'id'),
    username: text(record, 'username'),
    usernameKey: text(record, 'usernameKey'),
    passwordHash: text(record, 'passwordHash'),
    roles: textList(record, 'roles'),
    disabled: flag(record, 'disabled'),
    createdAt: time(record, 'createdAt'),
    ...(email !== undefined && { email }),
    ...(department !== undefined && { department }),
  });
}

function text(record: unknown, name: string): string {
  const value = ownProperty(record, name);
  return typeof value === 'string' ? value : malformed(name);
}

function optionalText(record: unknown, name: string): string | undefined {
  return (ownProperty(record, name) ?? undefined) === undefined ? undefined : text(record, name);
}

function textList(record: unknown, name: string): readonly string[] {
  const value = ownProperty(record, name);
  if (!Array.isArray(value)) return malformed(name);
  return Object.freeze(Array.from(value, (item: unknown) => (typeof item === 'string' ? item : malformed(name))));
}

function flag(record: unknown, name: string): boolean {
  const value = ownProperty(record, name);
  return typeof value === 'boolean' ? value : malformed(name);
}

function time(record: unknown, name: string): number {
  const value = ownProperty(record, name);
  return typeof value === 'number' && Math.abs(value) <= MAX_DATE ? value : malformed(name);
}

function malformed(name: string): never {
  throw new Error(`the account store returned a record without a usable "${name}"`);
}
