import type { ApiKeyRecord, ApiKeyStore } from './api-key-store.ts';

const INTERVAL_MS = 60_000;
const MAX_REMEMBERED = 10_000;

/** Notes that a key was used, without making anybody wait and without failing. */
export type NoteUse = (key: ApiKeyRecord, now: number) => void;

/**
 * Writes at most once a minute and key. What was written is remembered here as well, since the records of
 * requests that run at the same time, or that a slow store is behind with, do not show it yet.
 */
export function createNoteUse(store: Pick<ApiKeyStore, 'touch'>): NoteUse {
  const written = new Map<string, number>();
  return ({ id, lastUsedAt = Number.NEGATIVE_INFINITY }, now) => {
    const last = Math.max(lastUsedAt, written.get(id) ?? Number.NEGATIVE_INFINITY);
    // Nor when the clock tells no time, which no store could give back.
    if (!(now - last >= INTERVAL_MS)) return;
    written.delete(id);
    written.set(id, now);
    if (written.size > MAX_REMEMBERED) forgetOldest(written);
    store.touch(id, now).catch(() => undefined);
  };
}

function forgetOldest(written: Map<string, number>): void {
  for (const id of written.keys()) {
    written.delete(id);
    return;
  }
}
