import { kindOf } from '../condition/attribute.ts';
import type { AttributePath, Scalar } from '../policy/policy.ts';
import { type Atom, elementsOf, type Key, keysOf } from './atom.ts';
import { connected } from './connected.ts';
import { constantsOf } from './constants.ts';
import { numbersAround, otherNumber } from './numbers.ts';
import type { Choice, Value } from './settle.ts';
import { textsAround } from './texts.ts';

/** Everything that one attribute, element or open outcome can be, and whether nothing is left out. */
export interface Choices {
  readonly choices: readonly Choice[];
  readonly isComplete: boolean;
}

const NOTHING: Value = { is: 'nothing' };

/**
 * The ways in which the first thing that some atoms read can come out. An attribute is represented by the classes of
 * its values against the constants of all that it is compared with, directly or through others; one that was
 * chosen before is such a constant by now. Elements come after the attributes that they are compared with.
 */
export function choicesOf(atoms: readonly Atom[]): Choices {
  const asItem = new Set(atoms.flatMap((atom) => (readsItemOf(atom) ? [elementsOf(atom)] : [])));
  for (const atom of atoms) {
    const [key] = keysOf(atom);
    if (key !== undefined) return attributeChoices(connected(key, atoms));
    if (atom.kind === 'free') {
      return complete([true, false].map((outcome) => ({ kind: 'free', origin: atom.origin, outcome })));
    }
    const list = elementsOf(atom);
    if (atom.kind !== 'member' || list === undefined || asItem.has(list) || !('value' in atom.item)) continue;
    const element = atom.item.value;
    return complete([false, true].map((holds) => ({ kind: 'element', key: list, element, holds })));
  }
  return complete([]);
}

function complete(choices: readonly Choice[]): Choices {
  return { choices, isComplete: true };
}

function readsItemOf(atom: Atom): boolean {
  return atom.kind === 'member' && 'key' in atom.item;
}

function attributeChoices({ first: key, atoms }: ReturnType<typeof connected>): Choices {
  const own = atoms.filter((atom) => keysOf(atom).includes(key));
  const isList = own.some((atom) => atom.kind === 'member' && 'key' in atom.list && atom.list.key === key);
  const isItem = own.some(
    (atom) => atom.kind !== 'present' && !(atom.kind === 'member' && !('key' in atom.item && atom.item.key === key)),
  );
  const isPresence = own.some((atom) => atom.kind === 'present');
  const { scalars, isTight } = scalarsFor(key, atoms, isItem);
  const lists = [false, true].flatMap((empty) =>
    [false, true].map((unknown) => ({ is: 'list', unknown, empty }) as const),
  );
  const values: readonly Value[] = [
    ...(isItem || isPresence || !isList ? scalars.map((value) => ({ is: 'scalar', value }) as const) : []),
    ...(isList ? lists : isPresence && !key.includes('@') ? lists.slice(0, 1) : []),
    NOTHING,
  ];
  return { choices: values.map((value) => ({ kind: 'attribute', key, value })), isComplete: !isTight };
}

function scalarsFor(
  key: Key,
  atoms: readonly Atom[],
  isItem: boolean,
): { readonly scalars: readonly Scalar[]; readonly isTight: boolean } {
  if (key.includes('@')) return { scalars: Array.from({ length: 24 }, (_, hour) => hour), isTight: false };
  const kind = kindOf(key as AttributePath);
  if (!isItem) return { scalars: [kind === 'number' ? 1 : 'x'], isTight: false };
  const { numbers, points, prefixes, suffixes, isOrdered } = constantsOf(atoms);
  const ordered = numbersAround(numbers);
  const someNumbers = isOrdered ? ordered.numbers : [...numbers, otherNumber(numbers)];
  const texts = textsAround({ points, prefixes, suffixes, isOrdered });
  const filled = texts.filter((text) => text !== '');
  const typed = kind === 'number' ? [...someNumbers, ...filled] : [...filled, ...someNumbers];
  const empty = filled.length < texts.length ? [''] : [];
  return { scalars: [...typed, true, false, ...empty], isTight: isOrdered && ordered.isTight };
}
