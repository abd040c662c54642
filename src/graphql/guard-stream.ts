/** What becomes of one event. */
export type EventVerdict = 'DELIVER' | 'SKIP' | 'END';

const DONE: IteratorResult<unknown> = { done: true, value: undefined };

/**
 * Judges every event of a source before it is handed on. Ending, from either side, returns the source and
 * settles whoever waits for the next event, even where the source itself keeps waiting for one.
 *
 * @param judge - never rejects
 * @param onReturnError - gets the error of a source that fails while it is being ended
 */
export function guardStream(
  source: AsyncIterable<unknown>,
  judge: (event: unknown) => Promise<EventVerdict>,
  onReturnError: (error: unknown) => void,
): AsyncIterableIterator<unknown> {
  const iterator = source[Symbol.asyncIterator]();
  const waiting = new Set<(result: IteratorResult<unknown>) => void>();
  let ended = false;
  let turn: Promise<unknown> = Promise.resolve();

  function end(): void {
    ended = true;
    for (const settle of waiting) settle(DONE);
    waiting.clear();
  }

  async function pull(): Promise<IteratorResult<unknown>> {
    while (!ended) {
      const event = await iterator.next();
      if (ended) break;
      if (event.done) {
        end();
        return event;
      }
      const verdict = await judge(event.value);
      if (ended) break;
      if (verdict === 'DELIVER') return event;
      if (verdict === 'END') {
        end();
        try {
          await iterator.return?.();
        } catch (error) {
          onReturnError(error);
        }
      }
    }
    return DONE;
  }

  return {
    next() {
      if (ended) return Promise.resolve(DONE);
      const pulled = turn.then(pull);
      turn = pulled.catch(() => undefined);
      return new Promise((resolve, reject) => {
        waiting.add(resolve);
        pulled.then(resolve, reject).finally(() => waiting.delete(resolve));
      });
    },
    async return() {
      end();
      await iterator.return?.();
      return DONE;
    },
    async throw(error) {
      end();
      if (iterator.throw !== undefined) return iterator.throw(error);
      await iterator.return?.();
      throw error;
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
