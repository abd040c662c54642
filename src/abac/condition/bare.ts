/**
 * A copy that inherits nothing, so that what is asked of it by name (`'value' in term`) is its own: a name that was
 * put into `Object.prototype` would make a constant of every attribute.
 */
export function bare<Held extends object>(held: Held): Held {
  return Object.setPrototypeOf({ ...held }, null);
}
