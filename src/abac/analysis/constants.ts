import type { Scalar } from '../policy/policy.ts';
import { type Atom, isAffixOfAttributes } from './atom.ts';

/** The constants that some atoms hold, an attribute that was chosen before included. */
export interface AtomConstants {
  readonly numbers: Set<number>;
  readonly points: Set<string>;
  readonly prefixes: Set<string>;
  readonly suffixes: Set<string>;
  isOrdered: boolean;
}

export function constantsOf(atoms: readonly Atom[]): AtomConstants {
  const found: AtomConstants = {
    numbers: new Set(),
    points: new Set(),
    prefixes: new Set(),
    suffixes: new Set(),
    isOrdered: false,
  };
  const add = (value: Scalar): void => {
    if (typeof value === 'number') found.numbers.add(value);
    if (typeof value === 'string') found.points.add(value);
  };
  for (const atom of atoms) addConstants(atom, found, add);
  return found;
}

function addConstants(atom: Atom, found: AtomConstants, add: (value: Scalar) => void): void {
  if (atom.kind === 'present' || atom.kind === 'free') return;
  if (atom.emptyIsUnknown) add('');
  // Long enough to begin and to end with something else; no proof rests on it.
  if (isAffixOfAttributes(atom)) add('abcd');
  if (atom.kind === 'member') {
    if ('value' in atom.item) add(atom.item.value);
    if ('values' in atom.list) atom.list.values.forEach(add);
    return;
  }
  const { kind, left, right } = atom;
  if (kind === 'less' || kind === 'startsWith') found.isOrdered = true;
  if (kind === 'equal' || kind === 'less') {
    if ('value' in left) add(left.value);
    if ('value' in right) add(right.value);
    return;
  }
  if ('value' in right && typeof right.value === 'string') {
    found[kind === 'startsWith' ? 'prefixes' : 'suffixes'].add(right.value);
    add(right.value);
  }
  if ('value' in left && typeof left.value === 'string') {
    const characters = [...left.value];
    for (let cut = 0; cut <= characters.length; cut++) {
      add(characters.slice(...(kind === 'startsWith' ? [0, cut] : [cut])).join(''));
    }
  }
}
