import type { RateLimitStore } from '../accounts/index.ts';
import { type Clock, systemClock } from '../core/clock.ts';
import { configInvalid } from '../core/config-invalid.ts';

/** What a limiter answers. */
export interface LimiterAnswer {
  readonly consumedPoints: number;
  /** Milliseconds until the count starts again. */
  readonly msBeforeNext: number;
}

/**
 * What the store needs of a limiter of rate-limiter-flexible. Each of its limiters has these methods; one
 * whose name ends in `NonAtomic` does not count parallel attempts correctly and will not do.
 */
export interface FlexibleLimiter {
  penalty(key: string, points: number, options: { readonly customDuration: number }): Promise<LimiterAnswer>;
  reward(key: string, points: number, options: { readonly customDuration: number }): Promise<LimiterAnswer>;
}

export interface RateLimiterFlexibleStoreOptions {
  /** The time in epoch milliseconds; the limiter asks the machine's clock, whatever is given here. @default `Date.now` */
  readonly clock?: Clock;
}

/**
 * Keeps the counters of the login guard in a limiter of rate-limiter-flexible, for example in Redis. The
 * limiter's own `points`, `duration` and `blockDuration` play no part: how many attempts a window allows
 * and how long it lasts is said where the limits are, and windows are rounded up to whole seconds.
 *
 * @throws `CONFIG_INVALID` when `limiter` is no limiter.
 * @example
 * const limits = createRateLimiterFlexibleStore(limiter);
 */
export function createRateLimiterFlexibleStore(
  limiter: FlexibleLimiter,
  options: RateLimiterFlexibleStoreOptions = {},
): RateLimitStore {
  const { clock = systemClock } = options;
  if (typeof limiter?.penalty !== 'function' || typeof limiter.reward !== 'function') {
    throw configInvalid('limiter', 'must be a limiter of rate-limiter-flexible');
  }

  return {
    // A penalty counts without ever refusing, in one step of the limiter; whoever asked does the refusing.
    async hit(key, windowMs, now) {
      const { consumedPoints, msBeforeNext } = await limiter.penalty(key, 1, { customDuration: seconds(windowMs) });
      return { count: consumedPoints, resetAt: now + msBeforeNext };
    },
    // As long as the window of the hit has not ended, no other one can have taken its place.
    async release(key, resetAt) {
      const leftMs = resetAt - clock();
      if (!(leftMs > 0)) return;
      const customDuration = seconds(leftMs);
      const { consumedPoints } = await limiter.reward(key, 1, { customDuration });
      // It ended on the way, or somebody deleted it: credit for attempts to come is never given.
      if (consumedPoints < 0) await limiter.penalty(key, 1, { customDuration });
    },
  };
}

function seconds(milliseconds: number): number {
  return Math.ceil(milliseconds / 1_000);
}
