import { configInvalid, isPlainObject } from '../../core/config-invalid.ts';

/** The members of a registration, which may come of a JSON file. A member that is there must say something. */
export interface Members {
  /** Of the registration, for errors, for example `clients[0]`. */
  readonly path: string;
  has(name: string): boolean;
  /** Whether the member is exactly this. */
  is(name: string, value: unknown): boolean;
  /** @returns `undefined` only for a member that is absent. */
  read<T>(name: string, isRight: (value: unknown) => value is T, problem: string): T | undefined;
  /** The same of a list, none of whose items stands twice. */
  readList<T extends string>(
    name: string,
    isRight: (item: unknown) => item is T,
    problem: string,
  ): readonly T[] | undefined;
}

/**
 * Takes a registration apart.
 *
 * @throws `CONFIG_INVALID` for what is no plain object, and for members that nobody knows: a misspelt one would
 * leave its default in force.
 */
export function membersOf(holder: unknown, path: string, known: readonly string[]): Members {
  if (!isPlainObject(holder)) throw configInvalid(path, 'must be a plain object');
  const members = new Map(Object.entries(holder));
  for (const name of members.keys()) {
    if (!known.includes(name)) throw configInvalid(`${path}.${name}`, 'is not a known member');
  }
  const read: Members['read'] = (name, isRight, problem) => {
    if (!members.has(name)) return undefined;
    const value = members.get(name);
    if (isRight(value)) return value;
    throw configInvalid(`${path}.${name}`, problem);
  };
  return {
    path,
    has: (name) => members.has(name),
    is: (name, value) => members.get(name) === value,
    read,
    readList(name, isRight, problem) {
      const items = read(name, Array.isArray, 'must be a list');
      if (items === undefined) return undefined;
      const list: (typeof items)[number][] = [];
      for (const [index, item] of items.entries()) {
        const at = `${path}.${name}[${index}]`;
        if (!isRight(item)) throw configInvalid(at, problem);
        if (list.includes(item)) throw configInvalid(at, 'stands twice');
        list.push(item);
      }
      return Object.freeze(list);
    },
  };
}
