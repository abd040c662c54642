/**
 * Bounds a promise: rejects with `onLate()` when it has not settled in time. What comes later is ignored.
 *
 * @param ms - milliseconds
 * @example
 * await withDeadline(store.byId(id), 3_000, () => new DoorwardError('SERVICE_UNAVAILABLE'));
 */
export function withDeadline<T>(work: Promise<T>, ms: number, onLate: () => Error): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(onLate()), ms);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
