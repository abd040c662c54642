import { type Atom, elementsOf, type Key, keysOf } from './atom.ts';

/** The atoms in which a value matters that matters, in turn, for the attribute; the zoned hour among them comes first. */
export function connected(key: Key, atoms: readonly Atom[]): { readonly first: Key; readonly atoms: readonly Atom[] } {
  const names = (atom: Atom): readonly Key[] => {
    const list = elementsOf(atom);
    return list === undefined ? keysOf(atom) : [...keysOf(atom), list];
  };
  const reached = new Set([key]);
  const found = new Set<Atom>();
  for (let size = -1; size < found.size; ) {
    size = found.size;
    for (const atom of atoms) {
      if (found.has(atom) || !names(atom).some((name) => reached.has(name))) continue;
      found.add(atom);
      for (const name of names(atom)) reached.add(name);
    }
  }
  const keys = [...found].flatMap((atom) => keysOf(atom));
  return { first: keys.find((each) => each.includes('@')) ?? key, atoms: [...found] };
}
