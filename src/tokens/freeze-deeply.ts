/** Freezes a parsed JSON value with all that it holds. Without recursion: a token can nest thousands deep. */
export function freezeDeeply<T extends object>(value: T): T {
  const left: object[] = [value];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    for (const member of Object.values(next)) {
      if (typeof member === 'object' && member !== null) left.push(member);
    }
    Object.freeze(next);
  }
  return value;
}
