/** Reads an own property; `undefined` for an inherited one, and for what is no object. */
export function ownProperty(holder: unknown, name: string): unknown {
  if (typeof holder !== 'object' || holder === null || !Object.hasOwn(holder, name)) return undefined;
  return (holder as Readonly<Record<string, unknown>>)[name];
}
