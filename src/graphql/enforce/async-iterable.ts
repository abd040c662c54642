/** Tells whether the executor would iterate over a value asynchronously; a function may be an iterable too. */
export function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  const iterable = value as { readonly [Symbol.asyncIterator]?: unknown } | null | undefined;
  return typeof iterable?.[Symbol.asyncIterator] === 'function';
}
