/** The own members of a JSON object; none of any other value. */
export function membersOf(value: unknown): ReadonlyMap<string, unknown> {
  return isObject(value) ? new Map(Object.entries(value)) : new Map();
}

/** Parses a text that must be one JSON object; `undefined` when it is not. */
export function objectOf(text: string): ReadonlyMap<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? membersOf(value) : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
