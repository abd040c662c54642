import type { Account } from './ports.ts';
import { flag, optionalText, text, textList, time } from './record.ts';

/**
 * Makes an account of what a store returned, by own properties of the right types only. Roles that are
 * not a list of strings make the record unusable: no guess about roles is a safe one.
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
