import { configInvalid } from '../core/config-invalid.ts';
import { DoorwardError } from '../core/errors.ts';
import type { CodeRecord, CodeStore } from '../oauth/codes/code-store.ts';
import { createSweep } from './sweep.ts';

export interface MemoryCodeStoreOptions {
  /** Codes remembered at most; while all of them are in force, no further one is taken in. @default 100000 */
  readonly maxCodes?: number;
}

interface Code {
  readonly record: CodeRecord;
  readonly keepUntil: number;
  takenBy?: string;
  replayed: boolean;
  failures: number;
}

/** Slices that a call looks at while the store is full. */
const SLICES_WHEN_FULL = 4;

/**
 * Keeps authorization codes in memory, of this process only and in bounded space. A full store refuses: a code
 * that is in force is never forgotten, and one that was taken not before its time, so that a replay is seen. One
 * that expired without being taken is of no use to anybody and makes room.
 *
 * @throws `CONFIG_INVALID` when `maxCodes` is not a whole number of at least 1. The `put` of the store throws
 * `SERVICE_BUSY` while it is full.
 * @example
 * const codes = createMemoryCodeStore({ maxCodes: 1_000_000 });
 */
export function createMemoryCodeStore(options: MemoryCodeStoreOptions = {}): CodeStore {
  const { maxCodes = 100_000 } = options;
  if (!Number.isSafeInteger(maxCodes) || maxCodes < 1) {
    throw configInvalid('maxCodes', 'must be a whole number of at least 1');
  }
  const codes = new Map<string, Code>();
  const sweep = createSweep(codes, ({ record, keepUntil, takenBy }, now, hash) => {
    if (keepUntil <= now || (takenBy === undefined && record.expiresAt <= now)) codes.delete(hash);
  });

  // Written so that a time that is no number finds nothing.
  function find(hash: string, now: number): Code | undefined {
    const code = codes.get(hash);
    return code !== undefined && code.keepUntil > now ? code : undefined;
  }

  // Nothing is awaited: each call runs from start to end before another one can.
  return {
    async put(hash, record, keepUntil, now) {
      for (let slice = 0; slice === 0 || (codes.size >= maxCodes && slice < SLICES_WHEN_FULL); slice += 1) sweep(now);
      if (codes.has(hash)) throw new Error('the code store holds such a code already');
      if (codes.size >= maxCodes) throw new DoorwardError('SERVICE_BUSY', { retryAfterSeconds: 1 });
      codes.set(hash, { record: frozen(record), keepUntil, replayed: false, failures: 0 });
    },
    async find(hash, now) {
      const code = find(hash, now);
      if (code === undefined) return undefined;
      const { record, takenBy, replayed, failures } = code;
      return { record, ...(takenBy !== undefined && { takenBy }), replayed, failures };
    },
    async take(hash, sessionId, maxFailures, now) {
      const code = find(hash, now);
      if (code?.takenBy !== undefined) {
        code.replayed = true;
        return { kind: 'replayed', sessionId: code.takenBy };
      }
      if (code === undefined || !(code.record.expiresAt > now) || code.failures >= maxFailures) return { kind: 'gone' };
      code.takenBy = sessionId;
      return { kind: 'taken' };
    },
    async fail(hash, now) {
      const code = find(hash, now);
      if (code === undefined || code.takenBy !== undefined) return 0;
      code.failures += 1;
      return code.failures;
    },
  };
}

/** A copy that neither the caller nor a reader can change. */
function frozen(record: CodeRecord): CodeRecord {
  const { scopes, audience, amr } = record;
  return Object.freeze({
    ...record,
    scopes: Object.freeze([...scopes]),
    audience: Object.freeze([...audience]),
    amr: Object.freeze([...amr]),
  });
}
