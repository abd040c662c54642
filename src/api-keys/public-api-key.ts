import type { ApiKeyRecord } from './api-key-store.ts';

/** An API key as its owner may see it: without the key, and without the hash of its secret. */
export interface PublicApiKey {
  /** The public part of the key, which names it in lists, events and calls. */
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly string[];
  /** ISO 8601, UTC. */
  readonly createdAt: string;
  /** ISO 8601, UTC; absent for a key without an end. */
  readonly expiresAt?: string;
  /** ISO 8601, UTC, to the minute or so; absent for a key that was never used. */
  readonly lastUsedAt?: string;
}

/** Copies what may be shown, name by name: what is not listed here stays inside. */
export function toPublicApiKey(record: ApiKeyRecord): PublicApiKey {
  const { id, name, scopes, createdAt, expiresAt, lastUsedAt } = record;
  return {
    id,
    name,
    scopes: [...scopes],
    createdAt: iso(createdAt),
    ...(expiresAt !== undefined && { expiresAt: iso(expiresAt) }),
    ...(lastUsedAt !== undefined && { lastUsedAt: iso(lastUsedAt) }),
  };
}

function iso(time: number): string {
  return new Date(time).toISOString();
}
