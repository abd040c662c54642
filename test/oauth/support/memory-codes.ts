import type { CodeRecord, CodeStore } from 'doorward/oauth';

/** Codes in memory, as the port asks. */
export function createMapCodeStore(): CodeStore {
  const codes = new Map<string, { record: CodeRecord; takenBy?: string; replayed: boolean; failures: number }>();
  return {
    async put(hash, record) {
      codes.set(hash, { record, replayed: false, failures: 0 });
    },
    async find(hash) {
      const state = codes.get(hash);
      return state && { ...state };
    },
    async take(hash, sessionId, maxFailures, now) {
      const state = codes.get(hash);
      if (state?.takenBy !== undefined) {
        state.replayed = true;
        return { kind: 'replayed', sessionId: state.takenBy };
      }
      if (state === undefined || state.record.expiresAt <= now || state.failures >= maxFailures)
        return { kind: 'gone' };
      state.takenBy = sessionId;
      return { kind: 'taken' };
    },
    async fail(hash) {
      const state = codes.get(hash);
      if (state === undefined || state.takenBy !== undefined) return 0;
      state.failures += 1;
      return state.failures;
    },
  };
}
