/** The own members of a JSON object; none of any other value. */
export function membersOf(value: unknown): ReadonlyMap<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? new Map(Object.entries(value))
    : new Map();
}
