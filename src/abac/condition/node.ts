import type { AttributeRef, Scalar } from '../policy/policy.ts';

/** A constant of the policy. */
export interface Constant {
  readonly value: Scalar;
}

/** Where one side of a comparison comes from. */
export type Term = AttributeRef | Constant;

/** Constants of the policy, one of which a value may be. */
export interface Constants {
  readonly values: readonly Scalar[];
}

/**
 * A condition that contains no other. It is unknown when a value it needs cannot be compared; with
 * `emptyIsUnknown` an empty text cannot be compared either, or whoever has no id would own whatever has no owner.
 * That is so wherever two attributes meet, even when one of them has been replaced by its value.
 */
export type Leaf =
  | {
      readonly kind: 'equal' | 'less' | 'startsWith' | 'endsWith';
      readonly left: Term;
      readonly right: Term;
      readonly emptyIsUnknown: boolean;
    }
  | {
      readonly kind: 'member';
      readonly item: Term;
      readonly list: AttributeRef | Constants;
      readonly emptyIsUnknown: boolean;
    }
  | { readonly kind: 'present'; readonly attribute: AttributeRef }
  | { readonly kind: 'predicate'; readonly name: string };

/**
 * A condition in the few forms that everything below works on: closures, generated code, filters, Rego and
 * the analysis. Its outcome is true, false or unknown (Kleene's three-valued logic). `and` of nothing is true.
 */
export type Node =
  | Leaf
  | { readonly kind: 'and' | 'or'; readonly nodes: readonly Node[] }
  | { readonly kind: 'not'; readonly node: Node };

/** The conditions that a node is made of. */
export function leavesIn(node: Node): readonly Leaf[] {
  switch (node.kind) {
    case 'not':
      return leavesIn(node.node);
    case 'and':
    case 'or':
      return node.nodes.flatMap(leavesIn);
    default:
      return [node];
  }
}

/** The attributes that a condition compares. */
export function attributesOf(leaf: Leaf): readonly AttributeRef[] {
  if (leaf.kind === 'predicate') return [];
  if (leaf.kind === 'present') return [leaf.attribute];
  const sides = leaf.kind === 'member' ? [leaf.item, leaf.list] : [leaf.left, leaf.right];
  return sides.filter((side) => 'attr' in side);
}

export function isConstantTerm(term: Term): term is Constant {
  return Object.hasOwn(term, 'value');
}
