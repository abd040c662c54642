/** A value now, or a promise of it. In-process decisions are values; only remote ones are promises. */
export type MaybePromise<T> = T | Promise<T>;

/**
 * Tells whether a value must be awaited.
 *
 * @example
 * isPromise(Promise.resolve(1)); // true
 */
export function isPromise<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === 'function';
}

/** All values at once where they are all there, else a promise of them. */
export function together<T>(values: readonly MaybePromise<T>[]): MaybePromise<readonly T[]> {
  return values.some(isPromise) ? Promise.all(values) : (values as readonly T[]);
}
