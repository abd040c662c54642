import type { AccessRequest } from '../../core/index.ts';
import { readerOf } from '../condition/attribute.ts';
import { isConstantTerm, type Leaf, type Node, type Term } from '../condition/node.ts';
import { compareValues, findValue, isPresent, type Outcome } from '../filter/settle.ts';
import type { Predicate } from './predicates.ts';

/** What conditions are about when they are explained. */
export interface Asked {
  readonly request: AccessRequest;
  readonly predicates: ReadonlyMap<string, Predicate>;
}

/** What a condition comes out as, worked out without haste: decisions are made by {@link run}, traces by this. */
export function outcomeOf(node: Node, asked: Asked): Outcome {
  switch (node.kind) {
    case 'and':
    case 'or': {
      const outcomes = node.nodes.map((part) => outcomeOf(part, asked));
      const settling = node.kind === 'or';
      return outcomes.includes(settling) ? settling : outcomes.includes(undefined) ? undefined : !settling;
    }
    case 'not': {
      const outcome = outcomeOf(node.node, asked);
      return outcome === undefined ? undefined : !outcome;
    }
    case 'predicate':
      return asked.predicates.get(node.name)?.(asked.request);
    case 'present':
      return isPresent(valueOfTerm(node.attribute, asked.request));
    default: {
      const [left, right] = sidesOf(node).map((side) => valueOfTerm(side, asked.request));
      return settled(node, left, right);
    }
  }
}

/** Reads a term, an own property or nothing. */
export function valueOfTerm(term: Term, request: AccessRequest): unknown {
  return isConstantTerm(term) ? term.value : readerOf(term.attr, term.timeZone)(request);
}

/** A leaf that compares two values. */
export type Pair = Extract<Leaf, { readonly emptyIsUnknown: boolean }>;

/** The two sides of a comparison: of a membership the item and the list. */
export function sidesOf(leaf: Pair): readonly [Term, Term] {
  if (leaf.kind !== 'member') return [leaf.left, leaf.right];
  // A list of constants stands in the leaf itself.
  return [leaf.item, 'values' in leaf.list ? { value: '' } : leaf.list];
}

/** What a comparison makes of its two values. */
export function settled(leaf: Pair, left: unknown, right: unknown): Outcome {
  const { emptyIsUnknown } = leaf;
  if (leaf.kind !== 'member') return compareValues(leaf.kind, left, right, emptyIsUnknown);
  return findValue(left, 'values' in leaf.list ? leaf.list.values : right, emptyIsUnknown);
}
