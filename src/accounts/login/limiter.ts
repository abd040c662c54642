import { type Clock, DoorwardError } from '../../core/index.ts';
import type { RateLimitStore } from '../ports.ts';

/** One counter and how high it may go. */
export interface Limit {
  readonly key: string;
  readonly max: number;
  readonly windowMs: number;
  /** Called when this limit refuses. */
  readonly onExceeded?: () => void;
}

/** A place under every limit; given back when the attempt should not count. */
export interface Admission {
  release(): Promise<void>;
}

/**
 * Counts an attempt against every limit before it is made, so that parallel attempts cannot pass
 * together. An attempt that any limit refuses is taken back from all of them: it uses up neither its
 * own limit nor another one, so that a counter always stands at the attempts made and under way.
 *
 * @throws `HTTP_TOO_MANY_REQUESTS` with `retryAfterSeconds`; `SERVICE_UNAVAILABLE` when it cannot count.
 */
export async function admit(store: RateLimitStore, limits: readonly Limit[], clock: Clock): Promise<Admission> {
  const now = clock();
  const taken: { readonly key: string; readonly resetAt: number }[] = [];
  const release = async (): Promise<void> => {
    await Promise.allSettled(taken.splice(0).map(({ key, resetAt }) => store.release(key, resetAt)));
  };
  for (const { key, max, windowMs, onExceeded } of limits) {
    const hits = await store.hit(key, windowMs, now).catch(async (error: unknown) => {
      await release();
      throw error;
    });
    taken.push({ key, resetAt: hits.resetAt });
    if (hits.count <= max) continue;
    await release();
    onExceeded?.();
    throw new DoorwardError('HTTP_TOO_MANY_REQUESTS', {
      retryAfterSeconds: Math.max(1, Math.ceil((hits.resetAt - now) / 1_000)),
    });
  }
  return { release };
}
