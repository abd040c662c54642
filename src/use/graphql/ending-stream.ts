const DONE: IteratorReturnResult<undefined> = { done: true, value: undefined };

/**
 * Passes a stream on until it ends by itself, is returned, or a signal aborts; then the source is returned and
 * `onEnd` called, once. An event that is waited for is not waited for any longer: a source that yields nothing more
 * would hold the stream open.
 */
export function endingStream<T>(
  source: AsyncIterable<T>,
  signal: AbortSignal | undefined,
  onEnd: () => void,
): AsyncIterableIterator<T> {
  const iterator = source[Symbol.asyncIterator]();
  let isEnded = false;
  let returned: Promise<unknown> | undefined;
  const waiting = new Set<(result: IteratorReturnResult<undefined>) => void>();

  function end(): void {
    if (isEnded) return;
    isEnded = true;
    signal?.removeEventListener('abort', stop);
    for (const settle of waiting) settle(DONE);
    onEnd();
  }

  /** Returns the source, once, whoever ends the stream and however often. */
  async function finish(): Promise<void> {
    end();
    returned ??= (async () => iterator.return?.())();
    await returned;
  }

  function stop(): void {
    // What the source makes of it concerns nobody any more.
    finish().catch(() => {});
  }

  signal?.addEventListener('abort', stop, { once: true });
  if (signal?.aborted === true) stop();

  return {
    next() {
      if (isEnded) return Promise.resolve(DONE);
      return new Promise((resolve, reject) => {
        waiting.add(resolve);
        const settled = (result: IteratorResult<T>): void => {
          if (result.done === true) end();
          resolve(isEnded ? DONE : result);
        };
        const failed = (error: unknown): void => {
          // First, or ending would tell who waits that nothing more comes.
          reject(error);
          end();
        };
        iterator
          .next()
          .then(settled, failed)
          .finally(() => waiting.delete(resolve));
      });
    },
    async return() {
      await finish();
      return DONE;
    },
    async throw(error) {
      await finish();
      throw error;
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
