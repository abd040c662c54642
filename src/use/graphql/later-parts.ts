/** A result with parts that come later, as `@defer` and `@stream` ask for them. */
export interface WithLaterParts {
  readonly incremental?: readonly Part[] | null | undefined;
  /** What of it is complete, perhaps with the errors for which it never came. */
  readonly completed?: readonly Part[] | null | undefined;
}

interface Part {
  readonly errors?: readonly unknown[] | null | undefined;
}

/** Tells the errors of the parts; those of the result itself are left as they are. */
export function withToldParts<R extends WithLaterParts>(result: R, tell: (error: unknown) => unknown): R {
  const told = (part: Part): Part => ({ ...part, ...(part.errors && { errors: part.errors.map(tell) }) });
  const { incremental, completed } = result;
  return {
    ...result,
    ...(incremental && { incremental: incremental.map(told) }),
    ...(completed && { completed: completed.map(told) }),
  };
}
