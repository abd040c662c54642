import type { Clock } from '../core/clock.ts';

/** A clock that stands still until it is told otherwise. */
export interface FixedClock extends Clock {
  /** Moves the clock, forwards or backwards. @param milliseconds by which it moves */
  advance(milliseconds: number): void;
}

/**
 * Makes a clock for tests.
 *
 * @param time epoch milliseconds
 * @example
 * const clock = fixedClock(Date.UTC(2026, 0, 1));
 * const verifier = createTokenVerifier({ keys: [key], clock });
 * clock.advance(3_600_000);
 */
export function fixedClock(time: number): FixedClock {
  let now = time;
  return Object.assign((): number => now, {
    advance(milliseconds: number): void {
      now += milliseconds;
    },
  });
}
