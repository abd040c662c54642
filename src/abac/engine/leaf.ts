import { isConstantTerm, type Leaf, type Term } from '../condition/node.ts';
import { isTextLess } from '../condition/text-order.ts';
import { isScalar } from '../condition/value.ts';
import type { AttributeRef, Scalar } from '../policy/policy.ts';
import { type Facts, factReader, type Place, placeOf, valueAt } from './facts.ts';
import { FALSE, type Outcome, outcomeOf, type Test, TRUE, UNKNOWN } from './outcome.ts';

type Comparison = Extract<Leaf, { readonly left: Term }>;
type Membership = Extract<Leaf, { readonly kind: 'member' }>;

/** Settles a comparison by the two values that were read. */
export type Comparing = (left: unknown, right: unknown) => Outcome;

/** Compares two values that are known. */
const COMPARE: Readonly<Record<Comparison['kind'], (left: Scalar, right: Scalar) => Outcome>> = {
  equal: (left, right) => outcomeOf(left === right),
  less: (left, right) => {
    if (typeof left === 'number' && typeof right === 'number') return outcomeOf(left < right);
    return typeof left === 'string' && typeof right === 'string' ? outcomeOf(isTextLess(left, right)) : UNKNOWN;
  },
  startsWith: (left, right) =>
    typeof left === 'string' && typeof right === 'string' ? outcomeOf(left.startsWith(right)) : UNKNOWN,
  endsWith: (left, right) =>
    typeof left === 'string' && typeof right === 'string' ? outcomeOf(left.endsWith(right)) : UNKNOWN,
};

export function comparing({ kind, emptyIsUnknown }: Comparison): Comparing {
  const compare = COMPARE[kind];
  return (left, right) =>
    isKnown(left, emptyIsUnknown) && isKnown(right, emptyIsUnknown) ? compare(left, right) : UNKNOWN;
}

/** A comparison of two operands. Equality, the most frequent one, is fused with the reading: that is twice as fast. */
export function comparisonTest(leaf: Comparison): Test {
  const { kind, left, right, emptyIsUnknown } = leaf;
  const [a, b] = [placeOfTerm(left), placeOfTerm(right)];
  if (kind === 'equal' && a !== undefined && b !== undefined) return equalPlaces(a, b, emptyIsUnknown);
  if (kind === 'equal' && a !== undefined && isConstantTerm(right) && !emptyIsUnknown)
    return equalsConstant(a, right.value);
  if (kind === 'equal' && b !== undefined && isConstantTerm(left) && !emptyIsUnknown)
    return equalsConstant(b, left.value);
  const [readLeft, readRight, compare] = [termReader(left), termReader(right), comparing(leaf)];
  return (facts) => compare(readLeft(facts), readRight(facts));
}

function equalsConstant(place: Place, constant: Scalar): Test {
  return (facts) => {
    const value = valueAt(facts, place);
    return value === constant ? TRUE : isScalar(value) ? FALSE : UNKNOWN;
  };
}

function equalPlaces(left: Place, right: Place, emptyIsUnknown: boolean): Test {
  return (facts) => {
    const a = valueAt(facts, left);
    const b = valueAt(facts, right);
    return isKnown(a, emptyIsUnknown) && isKnown(b, emptyIsUnknown) ? outcomeOf(a === b) : UNKNOWN;
  };
}

/** Settles a membership by the item and the list that were read. */
export function searching({ list, emptyIsUnknown }: Membership): Comparing {
  if ('values' in list) {
    const constants: ReadonlySet<unknown> = new Set(list.values);
    return (item) => (isKnown(item, emptyIsUnknown) ? outcomeOf(constants.has(item)) : UNKNOWN);
  }
  return (item, elements) => (isKnown(item, emptyIsUnknown) ? search(elements, item, emptyIsUnknown) : UNKNOWN);
}

/** Whether an item is an element of a list, of constants or in an attribute. */
export function membershipTest(leaf: Membership): Test {
  const { item, list, emptyIsUnknown } = leaf;
  const place = 'attr' in list ? placeOf(list.attr) : undefined;
  if (place !== undefined && isConstantTerm(item) && isKnown(item.value, emptyIsUnknown)) {
    return (facts) => search(valueAt(facts, place), item.value, emptyIsUnknown);
  }
  const readList = 'values' in list ? () => undefined : factReader(list);
  const [readItem, settle] = [termReader(item), searching(leaf)];
  return (facts) => settle(readItem(facts), readList(facts));
}

/** Whether a value can be compared here. */
export function isKnown(value: unknown, emptyIsUnknown: boolean): value is Scalar {
  return isScalar(value) && !(emptyIsUnknown && value === '');
}

/**
 * Membership is equality with any element, so it knows as much as the elements: one that cannot be
 * compared leaves a "no" unknown.
 */
export function search(elements: unknown, value: Scalar, emptyIsUnknown: boolean): Outcome {
  if (!Array.isArray(elements)) return UNKNOWN;
  let outcome: Outcome = FALSE;
  for (let i = 0; i < elements.length; i++) {
    const element: unknown = elements[i];
    if (element === value) return TRUE;
    if (!isKnown(element, emptyIsUnknown)) outcome = UNKNOWN;
  }
  return outcome;
}

export function presenceTest(attribute: AttributeRef): Test {
  const read = factReader(attribute);
  return (facts) => {
    const value = read(facts);
    return outcomeOf(isScalar(value) || Array.isArray(value));
  };
}

/** The place of an attribute that is read as it stands. */
function placeOfTerm(term: Term): Place | undefined {
  return isConstantTerm(term) || term.timeZone !== undefined ? undefined : placeOf(term.attr);
}

function termReader(term: Term): (facts: Facts) => unknown {
  return isConstantTerm(term) ? () => term.value : factReader(term);
}
