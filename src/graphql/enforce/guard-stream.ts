/** What becomes of one event. */
export type EventVerdict = 'DELIVER' | 'SKIP' | 'END';

const DONE: IteratorResult<unknown> = { done: true, value: undefined };

/**
 * Judges every event of a source before it is handed on. Ending, from either side, returns the source and
 * settles whoever waits for the next event, even where the source itself keeps waiting for one.
 *
 * @param judge - never rejects
 * @param onReturnError - gets the error of a source that fails while it is being ended
 * @param signal - ends the stream when it aborts
 */
export function guardStream(
  source: AsyncIterable<unknown>,
  judge: (event: unknown) => Promise<EventVerdict>,
  onReturnError: (error: unknown) => void,
  signal?: AbortSignal,
): AsyncIterableIterator<unknown> {
  const iterator = source[Symbol.asyncIterator]();
  const waiting = new Set<(result: IteratorResult<unknown>) => void>();
  let ended = false;
  let turn: Promise<unknown> = Promise.resolve();
  let returned: Promise<unknown> | undefined;

  function close(): void {
    ended = true;
    signal?.removeEventListener('abort', abort);
  }

  function end(): void {
    close();
    for (const settle of waiting) settle(DONE);
    waiting.clear();
  }

  /** Returns the source, once, whoever ends the stream and however often. */
  async function finish(): Promise<void> {
    end();
    returned ??= (async () => iterator.return?.())();
    await returned;
  }

  /** Ends from this side, where nobody waits for the source to be returned. */
  async function stop(): Promise<void> {
    try {
      await finish();
    } catch (error) {
      onReturnError(error);
    }
  }

  function abort(): void {
    void stop();
  }

  /** A source that fails has ended; whoever waits gets the error. */
  async function nextEvent(): Promise<IteratorResult<unknown>> {
    try {
      return await iterator.next();
    } catch (error) {
      close();
      throw error;
    }
  }

  async function pull(): Promise<IteratorResult<unknown>> {
    while (!ended) {
      const event = await nextEvent();
      if (ended) break;
      if (event.done) {
        end();
        return event;
      }
      const verdict = await judge(event.value);
      if (ended) break;
      if (verdict === 'DELIVER') return event;
      if (verdict === 'END') await stop();
    }
    return DONE;
  }

  signal?.addEventListener('abort', abort);
  if (signal?.aborted) abort();

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
      await finish();
      return DONE;
    },
    async throw(error) {
      end();
      if (iterator.throw !== undefined) return iterator.throw(error);
      await finish();
      throw error;
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
