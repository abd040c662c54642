import { setMaxListeners } from 'node:events';
import { type Decision, deny } from '../core/index.ts';
import { type Leave, nothingToLeave, type Tell } from './asking.ts';
import type { Later } from './deadlines.ts';

/**
 * Waits for an answer, but no longer than until `later`, and not once `signal` aborts. It never rejects:
 * whatever `ask` throws is a denial with reason `error`.
 */
export function within(later: Later, signal: AbortSignal | undefined, ask: (tell: Tell) => Leave): Promise<Decision> {
  return new Promise((resolve) => {
    let isOver = signal?.aborted === true;
    if (isOver) return resolve(deny('unavailable'));

    let stopWaiting: (() => void) | undefined;
    let leave = nothingToLeave;
    const end: Tell = (decision) => {
      isOver = true;
      stopWaiting?.();
      signal?.removeEventListener('abort', abort);
      resolve(decision);
    };
    const abort = (): void => {
      end(deny('unavailable'));
      leave('aborted');
    };
    const giveUp = (): void => {
      end(deny('timeout'));
      leave('timeout');
    };

    try {
      leave = ask(end);
    } catch {
      return end(deny('error'));
    }
    if (isOver) return;
    stopWaiting = later(giveUp);
    if (signal === undefined) return;
    // Many decisions may end with one signal, and each takes its listener away: none is a leak to warn of.
    setMaxListeners(0, signal);
    signal.addEventListener('abort', abort);
  });
}
