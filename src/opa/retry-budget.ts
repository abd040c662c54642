/** At rest, so many calls may be repeated at once. */
const MAX_SAVED = 10;
/** And then one for ten calls that were made. */
const SAVED_A_CALL = 0.1;

export interface RetryBudget {
  called(): void;
  /** Whether one more call may be repeated; it then counts as repeated. */
  take(): boolean;
}

/** Keeps repeated calls to a tenth of all: a server that is down must not be asked twice as often. */
export function retryBudget(): RetryBudget {
  let saved = MAX_SAVED;
  return {
    called: () => {
      if (saved < MAX_SAVED) saved += SAVED_A_CALL;
    },
    take: () => {
      if (saved < 1) return false;
      saved--;
      return true;
    },
  };
}
