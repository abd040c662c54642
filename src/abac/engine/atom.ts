import { isConstantTerm, type Node } from '../condition/node.ts';
import type { AttributeRef, Scalar } from '../policy/policy.ts';

/** A part of a rule that is false for every known value but a few: the attribute is, or has, one of these. */
export interface Atom {
  /** The same for atoms that one hash table can hold. */
  readonly key: string;
  readonly attribute: AttributeRef;
  readonly isList: boolean;
  readonly values: readonly Scalar[];
}

/** Reads a part of a rule as an atom, if it is one. */
export function atomOf(node: Node): Atom | undefined {
  if (node.kind === 'equal') {
    const { left, right } = node;
    if (!isConstantTerm(left) && isConstantTerm(right)) return atom(left, false, [right.value]);
    return isConstantTerm(left) && !isConstantTerm(right) ? atom(right, false, [left.value]) : undefined;
  }
  if (node.kind !== 'member') return undefined;
  const { item, list } = node;
  if ('values' in list) return isConstantTerm(item) ? undefined : atom(item, false, list.values);
  return isConstantTerm(item) ? atom(list, true, [item.value]) : undefined;
}

/** The clock is no key: a later hour would need rules that this decision's `validUntil` knows nothing of. */
function atom(attribute: AttributeRef, isList: boolean, values: readonly Scalar[]): Atom | undefined {
  const { attr } = attribute;
  if (attr === 'environment.hour' || attr === 'environment.time') return undefined;
  return { key: isList ? `${attr}[]` : attr, attribute, isList, values };
}
