/** The parameters of a request. A parameter without a value counts as one that was not sent (RFC 6749 section 3.1). */
export interface Parameters {
  /** The value of a parameter; `undefined` when it was not sent. */
  get(name: string): string | undefined;
  /** All values of a parameter that may be repeated, as `resource` may (RFC 8707 section 2). */
  all(name: string): readonly string[];
}

const REPEATABLE: ReadonlySet<string> = new Set(['resource']);

/**
 * Gathers parameters.
 *
 * @returns the name of the first one that is repeated and must not be, in place of them.
 */
export function parametersOf(pairs: Iterable<readonly [string, string]>): Parameters | { readonly repeated: string } {
  const values = new Map<string, string[]>();
  for (const [name, value] of pairs) {
    if (value === '') continue;
    const known = values.get(name);
    if (known === undefined) values.set(name, [value]);
    else if (REPEATABLE.has(name)) known.push(value);
    else return { repeated: name };
  }
  return { get: (name) => values.get(name)?.[0], all: (name) => values.get(name) ?? [] };
}
