import type { Decision } from '../core/index.ts';

/** Takes the one answer to a question. */
export type Tell = (decision: Decision) => void;

/** Stops waiting for an answer; what comes later is told to nobody. Harmless once the answer was told. */
export type Leave = (why: 'timeout' | 'aborted') => void;

/**
 * Asks a question, the body of a decision call, and tells one decision, perhaps at once. What stands between a
 * decision and the wire (the cache, the circuit breaker, the single flight) is made of these: promises at every
 * step would cost more than the steps.
 */
export type Asking = (body: string, tell: Tell) => Leave;

export const nothingToLeave: Leave = () => undefined;
