import type { Clock } from '../core/index.ts';

/** `open`: the server failed again and again, and is asked once in a while only. */
export type CircuitState = 'closed' | 'open';

export interface CircuitBreakerSettings {
  /** Failures without a success between them that open the circuit. */
  readonly failures: number;
  /** While the circuit is open, one call is let through in this many milliseconds. */
  readonly probeMs: number;
  readonly clock: Clock;
  readonly onChange: (state: CircuitState) => void;
}

export interface CircuitBreaker {
  state(): CircuitState;
  /** Whether a question may be asked now. */
  admits(): boolean;
  /** Tells when a call begins: a failure of a call from before the last recovery says nothing. */
  period(): number;
  succeeded(): void;
  failed(period: number): void;
}

/**
 * Probes are counted by time and not by their outcome, so that a probe whose answer never comes does not keep the
 * circuit open for ever.
 */
export function circuitBreaker({ failures, probeMs, clock, onChange }: CircuitBreakerSettings): CircuitBreaker {
  let state: CircuitState = 'closed';
  let count = 0;
  let period = 0;
  let probedAt = 0;
  return {
    state: () => state,
    admits: () => {
      if (state === 'closed') return true;
      const now = clock();
      // A clock that was set back must not keep the circuit open.
      if (Math.abs(now - probedAt) < probeMs) return false;
      probedAt = now;
      return true;
    },
    period: () => period,
    succeeded: () => {
      count = 0;
      if (state === 'closed') return;
      state = 'closed';
      period++;
      onChange(state);
    },
    failed: (began) => {
      if (began !== period || ++count < failures || state === 'open') return;
      state = 'open';
      probedAt = clock();
      onChange(state);
    },
  };
}
