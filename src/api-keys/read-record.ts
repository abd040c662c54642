import { ownProperty } from '../core/own-property.ts';
import type { ApiKeyRecord } from './api-key-store.ts';

const MAX_DATE = 8.64e15;
const HASH = /^[\w-]{43}$/;

/**
 * Makes a key of what a store returned, by own properties of the right types only. `null` counts as absent,
 * as databases have it, but never for the scopes: a key without its scopes would be a key without limits.
 *
 * @returns `undefined` when there is no record.
 * @throws an `Error` naming the first property that is wrong, never its value.
 */
export function readRecord(record: unknown): ApiKeyRecord | undefined {
  if (record === undefined || record === null) return undefined;
  const hash = text(record, 'hash');
  if (!HASH.test(hash)) return malformed('hash');
  const expiresAt = optionalTime(record, 'expiresAt');
  const lastUsedAt = optionalTime(record, 'lastUsedAt');
  return Object.freeze({
    id: text(record, 'id'),
    accountId: text(record, 'accountId'),
    name: text(record, 'name'),
    hash,
    scopes: textList(record, 'scopes'),
    createdAt: time(ownProperty(record, 'createdAt'), 'createdAt'),
    ...(expiresAt !== undefined && { expiresAt }),
    ...(lastUsedAt !== undefined && { lastUsedAt }),
  });
}

function text(record: unknown, name: string): string {
  const value = ownProperty(record, name);
  return typeof value === 'string' ? value : malformed(name);
}

function textList(record: unknown, name: string): readonly string[] {
  const value = ownProperty(record, name);
  if (!Array.isArray(value)) return malformed(name);
  return Object.freeze(Array.from(value, (item: unknown) => (typeof item === 'string' ? item : malformed(name))));
}

function optionalTime(record: unknown, name: string): number | undefined {
  const value = ownProperty(record, name) ?? undefined;
  return value === undefined ? undefined : time(value, name);
}

function time(value: unknown, name: string): number {
  return typeof value === 'number' && Math.abs(value) <= MAX_DATE ? value : malformed(name);
}

function malformed(name: string): never {
  throw new Error(`the API key store returned a record without a usable "${name}"`);
}
