/**
 * Passes a stream on, with a last item in the place of the error that it fails with: the response has begun, and
 * nothing else could tell.
 */
export function surviving<T>(source: AsyncIterable<T>, lastWords: (error: unknown) => T): AsyncIterable<T> {
  const iterator = source[Symbol.asyncIterator]();
  let hasFailed = false;
  const passed: AsyncIterableIterator<T> = {
    async next() {
      if (hasFailed) return { done: true, value: undefined };
      try {
        return await iterator.next();
      } catch (error) {
        hasFailed = true;
        return { done: false, value: lastWords(error) };
      }
    },
    async return() {
      await iterator.return?.();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]: () => passed,
  };
  return passed;
}
