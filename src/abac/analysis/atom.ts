import type { Leaf, Term } from '../condition/node.ts';
import type { AttributeRef, Scalar } from '../policy/policy.ts';

/** Names what is read: the path, and behind an `@` the time zone. No path holds an `@`. */
export type Key = string;

/** One side of a comparison: something that is read, or a value. */
export type Side = { readonly key: Key } | { readonly value: Scalar };

/**
 * The list of a membership: something that is read, constants, or a list of the request of which it is settled
 * only whether it holds an element that cannot be compared (`unknown`) or an empty text (`empty`).
 */
export type ListSide =
  | { readonly key: Key }
  | { readonly values: readonly Scalar[] }
  | { readonly elementsOf: Key; readonly unknown: boolean; readonly empty: boolean };

/** A leaf in the middle of an analysis: some of what it reads has been replaced by a value. */
export type Atom =
  | {
      readonly kind: 'equal' | 'less' | 'startsWith' | 'endsWith';
      readonly left: Side;
      readonly right: Side;
      readonly emptyIsUnknown: boolean;
      /** Names the comparison as the policy has it, where two attributes are compared for how one begins or ends. */
      readonly origin: string;
    }
  | { readonly kind: 'member'; readonly item: Side; readonly list: ListSide; readonly emptyIsUnknown: boolean }
  | { readonly kind: 'present'; readonly key: Key }
  /** An outcome that is true or false, whatever the values. */
  | { readonly kind: 'free'; readonly origin: string };

export function keyOf({ attr, timeZone }: AttributeRef): Key {
  return timeZone === undefined ? attr : `${attr}@${timeZone}`;
}

/** Brings a leaf of a policy into the analysis; a predicate has no place there. */
export function atomOf(leaf: Exclude<Leaf, { kind: 'predicate' }>): Atom {
  if (leaf.kind === 'present') return { kind: 'present', key: keyOf(leaf.attribute) };
  const { emptyIsUnknown } = leaf;
  if (leaf.kind === 'member') {
    const list = 'attr' in leaf.list ? { key: keyOf(leaf.list) } : leaf.list;
    return { kind: 'member', item: sideOf(leaf.item), list, emptyIsUnknown };
  }
  const [left, right] = [sideOf(leaf.left), sideOf(leaf.right)];
  const atom = { kind: leaf.kind, left, right, emptyIsUnknown, origin: '' };
  return isAffixOfAttributes(atom) ? { ...atom, origin: JSON.stringify([leaf.kind, left, right]) } : atom;
}

/** What an atom reads from the request as one value. */
export function keysOf(atom: Atom): readonly Key[] {
  if (atom.kind === 'free') return [];
  if (atom.kind === 'present') return [atom.key];
  const sides = atom.kind === 'member' ? [atom.item, atom.list] : [atom.left, atom.right];
  return sides.flatMap((side) => ('key' in side ? [side.key] : []));
}

/** The list of the request in which an atom looks for an element. */
export function elementsOf(atom: Atom): Key | undefined {
  return atom.kind === 'member' && 'elementsOf' in atom.list ? atom.list.elementsOf : undefined;
}

/** Two attributes are compared for how one begins or ends. */
export function isAffixOfAttributes(atom: Atom): boolean {
  return (atom.kind === 'startsWith' || atom.kind === 'endsWith') && atom.emptyIsUnknown;
}

function sideOf(term: Term): Side {
  return 'attr' in term ? { key: keyOf(term) } : { value: term.value };
}
