import type { Clock, Decision } from '../core/index.ts';
import type { Tell } from './asking.ts';

/** Longer questions are asked each time, so that `maxEntries` bounds the memory too. */
const MAX_BODY_LENGTH = 8_192;

interface Entry {
  readonly decision: Decision;
  readonly from: number;
  readonly until: number;
}

export interface DecisionCacheSettings {
  readonly maxEntries: number;
  readonly ttlMs: number;
  readonly revision: (() => string) | undefined;
  readonly clock: Clock;
  /** Hears that what was decided before does not count any more. */
  readonly onForget: () => void;
}

export interface DecisionCache {
  /** The answer to a question that was asked lately. */
  find(body: string): Decision | undefined;
  /** To be called when a question is asked, with what takes its answer: the answer is kept if it is fit for it. */
  keeping(body: string, tell: Tell): Tell;
  clear(): void;
}

/**
 * Remembers plain answers by the whole question; the least recently used goes first. Failures are never kept. Life
 * begins when the question was asked, since that is the last moment the answer is known to have been true.
 */
export function decisionCache({ maxEntries, ttlMs, revision, clock, onForget }: DecisionCacheSettings): DecisionCache {
  const entries = new Map<string, Entry>();
  let known = currentOf(revision);
  let generation = 0;

  const clear = (): void => {
    entries.clear();
    generation++;
    onForget();
  };

  return {
    find: (body) => {
      const current = currentOf(revision);
      if (current !== known) {
        known = current;
        clear();
      }
      const entry = entries.get(body);
      if (entry === undefined) return undefined;
      entries.delete(body);
      const now = clock();
      if (now < entry.from || now >= entry.until) return undefined;
      entries.set(body, entry);
      return entry.decision;
    },
    keeping: (body, tell) => {
      if (body.length > MAX_BODY_LENGTH) return tell;
      const askedIn = generation;
      const from = clock();
      return (decision) => {
        const until = Math.min(from + ttlMs, decision.validUntil ?? Number.POSITIVE_INFINITY);
        if (askedIn === generation && isPlain(decision) && until > from) {
          entries.delete(body);
          entries.set(body, { decision, from, until });
          if (entries.size > maxEntries) entries.delete(entries.keys().next().value ?? body);
        }
        tell(decision);
      };
    },
    clear,
  };
}

/** A revision that cannot be told is a new one each time: what was decided by it may not count any more. */
function currentOf(revision: (() => string) | undefined): unknown {
  try {
    return revision?.();
  } catch {
    return Symbol('unknown');
  }
}

function isPlain({ reason }: Decision): boolean {
  return reason === 'rule' || reason === 'no_rule';
}
