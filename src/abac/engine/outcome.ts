import type { AccessRequest } from '../../core/index.ts';
import { readerOf } from '../condition/attribute.ts';
import { compareValues, findValue, isPresent, type Outcome } from '../condition/compare.ts';
import { isConstantTerm, type Leaf, type Node, type Term } from '../condition/node.ts';
import type { Predicate } from './predicates.ts';

/**
 * What conditions are about when they are explained. Every attribute is read and every predicate called once, so that
 * a trace does not contradict itself, however large the policy and whatever answers differently twice.
 */
export interface Asked {
  readonly request: AccessRequest;
  readonly predicates: ReadonlyMap<string, Predicate>;
  readonly values: Map<string, unknown>;
  readonly answers: Map<string, Outcome>;
  readonly outcomes: Map<Node, Outcome>;
}

/** What a condition comes out as, worked out without haste: this is for traces. */
export function outcomeOf(node: Node, asked: Asked): Outcome {
  return once(asked.outcomes, node, () => workedOut(node, asked));
}

function once<Key, Value>(known: Map<Key, Value>, key: Key, find: () => Value): Value {
  if (known.has(key)) return known.get(key) as Value;
  const value = find();
  known.set(key, value);
  return value;
}

function workedOut(node: Node, asked: Asked): Outcome {
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
      return once(asked.answers, node.name, () => asked.predicates.get(node.name)?.(asked.request));
    case 'present':
      return isPresent(valueOfTerm(node.attribute, asked));
    default: {
      const [left, right] = sidesOf(node).map((side) => valueOfTerm(side, asked));
      return settled(node, left, right);
    }
  }
}

/** Reads a term, an own property or nothing. */
export function valueOfTerm(term: Term, { request, values }: Asked): unknown {
  if (isConstantTerm(term)) return term.value;
  const { attr, timeZone } = term;
  return once(values, `${attr} ${timeZone ?? ''}`, () => readerOf(attr, timeZone)(request));
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
