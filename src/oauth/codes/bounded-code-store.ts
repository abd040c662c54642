import { guarded } from '../../core/guarded.ts';
import { readCodeState, readTakenCode } from './code-record.ts';
import type { CodeStore } from './code-store.ts';

/**
 * Puts a deadline on every call of a code store and checks every answer. Whatever goes wrong is
 * `SERVICE_UNAVAILABLE`, never "taken".
 *
 * @param timeoutMs - milliseconds
 */
export function boundedCodeStore(store: CodeStore, timeoutMs: number): CodeStore {
  return {
    put: (hash, record, keepUntil, now) =>
      guarded(async () => void (await store.put(hash, record, keepUntil, now)), timeoutMs),
    find: (hash, now) => guarded(async () => readCodeState(await store.find(hash, now)), timeoutMs),
    take: (hash, sessionId, maxFailures, now) =>
      guarded(async () => readTakenCode(await store.take(hash, sessionId, maxFailures, now)), timeoutMs),
    fail: (hash, now) =>
      guarded(async () => {
        const failures: unknown = await store.fail(hash, now);
        if (Number.isSafeInteger(failures) && Number(failures) >= 0) return Number(failures);
        throw new Error('the code store did not count the failure');
      }, timeoutMs),
  };
}
