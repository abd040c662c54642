const CALLS = 50;

/** What runs at once with 50 of its kind. */
export function parallel<T>(call: (index: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: CALLS }, (_, index) => call(index)));
}

/** How many of the answers are `true`; one that is merely truthy does not count. */
export function granted(answers: readonly unknown[]): number {
  return answers.filter((answer) => answer === true).length;
}

/** Whether a call that has to be refused was: by an error, or by answering `false`. */
export async function isRefused(call: () => Promise<boolean>): Promise<boolean> {
  try {
    return (await call()) === false;
  } catch {
    return true;
  }
}

/** Texts that a store may mistake for something else, no two of them equal. */
export const HOSTILE: readonly string[] = [
  '__proto__',
  'constructor',
  "a'; DROP TABLE doorward_accounts; --",
  '$1',
  '%',
  '{"a":1}',
  'a',
  'A',
  'a ',
  'é',
  'e\u0301',
  '😀',
];

/**
 * The time in all cases, in 2001: a store that asks a clock of its own takes everything for expired.
 * Epoch milliseconds.
 */
export const NOW = 1_000_000_000_000;

/** What was stored, where a database may say `null` for what is absent. */
export function withoutNulls<T extends object>(record: T | undefined): Partial<T> | undefined {
  if (record === undefined || record === null) return undefined;
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== null)) as Partial<T>;
}

/** Does to a record what a careless reader may do; a store is free to hand out one that cannot be changed. */
export function deface(record: object | undefined, ...lists: readonly (readonly string[] | undefined)[]): void {
  for (const list of lists) {
    try {
      Array.prototype.push.call(list, 'defaced');
    } catch {}
  }
  for (const name of Object.keys(record ?? {})) {
    try {
      Object.assign(record ?? {}, { [name]: 'defaced' });
    } catch {}
  }
}
