const SLICE = 16;

/**
 * Makes a function that looks at the next few entries of a map and starts over at its end. Called with
 * every write it visits entries faster than they come, and never many at once.
 *
 * @param visit may delete the entry that it is given
 */
export function createSweep<V>(
  map: ReadonlyMap<string, V>,
  visit: (value: V, now: number, key: string) => void,
): (now: number) => void {
  let entries = map.entries();
  return (now) => {
    for (let left = SLICE; left > 0; left -= 1) {
      const { value: entry, done } = entries.next();
      if (done === true) {
        entries = map.entries();
        return;
      }
      visit(entry[1], now, entry[0]);
    }
  };
}
