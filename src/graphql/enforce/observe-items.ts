import { isPromise } from '../../core/index.ts';
import { isAsyncIterable } from './async-iterable.ts';

/**
 * Shows what a field resolves to, of a list each item, and gives back what the executor makes the same of. What
 * can be read only once (a promise of another kind, a generator) is read here and handed on as it came out.
 *
 * @param look - never throws; sees neither null nor an error
 */
export function observeItems(value: unknown, depth: number, look: (item: unknown) => void): unknown {
  if (isPromise(value)) return Promise.resolve(value).then((settled) => observeItems(settled, depth, look));
  if (value === null || value === undefined || value instanceof Error) return value;
  if (depth === 0) {
    look(value);
    return value;
  }
  if (Array.isArray(value)) {
    const items = value.map((item) => observeItems(item, depth - 1, look));
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  if (typeof value === 'object' && Symbol.iterator in value) {
    return Array.from(value as Iterable<unknown>, (item) => observeItems(item, depth - 1, look));
  }
  return isAsyncIterable(value) ? observed(value, depth - 1, look) : value;
}

function observed(
  source: AsyncIterable<unknown>,
  depth: number,
  look: (item: unknown) => void,
): AsyncIterable<unknown> {
  return {
    [Symbol.asyncIterator]() {
      const iterator = source[Symbol.asyncIterator]();
      return {
        ...(iterator.return !== undefined && { return: (value?: unknown) => returned(iterator, value) }),
        async next() {
          const { done, value } = await iterator.next();
          return done ? { done, value } : { done: false, value: observeItems(value, depth, look) };
        },
      };
    },
  };
}

async function returned(iterator: AsyncIterator<unknown>, value: unknown): Promise<IteratorResult<unknown>> {
  return (await iterator.return?.(value)) ?? { done: true, value };
}
