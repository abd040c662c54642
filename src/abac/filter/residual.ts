import type { AccessRequest } from '../../core/index.ts';
import { readerOf } from '../condition/attribute.ts';
import { bare } from '../condition/bare.ts';
import { compareValues, findValue, isPresent, isUnknown } from '../condition/compare.ts';
import { ALWAYS, all, any, type Formula, NEVER } from '../condition/formula.ts';
import { type Constants, isConstantTerm, type Leaf, type Term } from '../condition/node.ts';
import { isScalar } from '../condition/value.ts';
import { deepFreeze } from '../policy/json.ts';
import type { AttributeRef, Scalar } from '../policy/policy.ts';

/** Whether an attribute is still to be asked for; what the request has in its place is not read. */
export type IsOpen = (attribute: AttributeRef) => boolean;

/** What is left of a formula when everything but the open attributes is known. */
export type Residual = (request: AccessRequest, isOpen: IsOpen) => Formula;

type Compare = Extract<Leaf, { readonly left: Term }>;
type Member = Extract<Leaf, { readonly kind: 'member' }>;

/** Prepares a formula for partial evaluation. */
export function residualOf(formula: Formula): Residual {
  if (formula.kind === 'leaf') return leafOf(formula.leaf, formula.outcome);
  const parts = formula.formulas.map(residualOf);
  const [join, settling] = formula.kind === 'all' ? [all, NEVER] : [any, ALWAYS];
  return (request, isOpen) => {
    const left: Formula[] = [];
    for (const part of parts) {
      const formula = part(request, isOpen);
      if (formula === settling) return settling;
      left.push(formula);
    }
    return join(...left);
  };
}

function leafOf(leaf: Leaf, outcome: boolean): Residual {
  switch (leaf.kind) {
    case 'predicate': {
      const whole = wholeOf(leaf, outcome);
      return () => whole;
    }
    case 'present': {
      const whole = wholeOf(leaf, outcome);
      const read = readerOfTerm(leaf.attribute);
      return (request, isOpen) => (isOpen(leaf.attribute) ? whole : settled(isPresent(read(request)) === outcome));
    }
    case 'member':
      return memberOf(leaf, outcome);
    default:
      return compareOf(leaf, outcome);
  }
}

/** Every filter of the policy holds the same one, so nobody may change it. */
function wholeOf(leaf: Leaf, outcome: boolean): Formula {
  return deepFreeze({ kind: 'leaf', leaf, outcome });
}

function compareOf(leaf: Compare, outcome: boolean): Residual {
  const { kind, left, right, emptyIsUnknown } = leaf;
  const [readLeft, readRight] = [readerOfTerm(left), readerOfTerm(right)];
  const whole = wholeOf(leaf, outcome);
  return (request, isOpen) => {
    const [isLeftOpen, isRightOpen] = [isOpenTerm(left, isOpen), isOpenTerm(right, isOpen)];
    if (isLeftOpen && isRightOpen) return whole;
    if (!isLeftOpen && !isRightOpen)
      return settled(compareValues(kind, readLeft(request), readRight(request), emptyIsUnknown) === outcome);
    if (isConstantTerm(isLeftOpen ? right : left)) return whole;
    const value = (isLeftOpen ? readRight : readLeft)(request);
    if (isUnknown(value, emptyIsUnknown) || !isScalar(value) || !hasOutcome(kind, value)) return NEVER;
    return { kind: 'leaf', leaf: { ...leaf, [isLeftOpen ? 'right' : 'left']: bare({ value }) }, outcome };
  };
}

/** Only texts begin and end; booleans have no order. */
function hasOutcome(kind: Compare['kind'], value: Scalar): boolean {
  return kind === 'equal' || typeof value === 'string' || (kind === 'less' && typeof value === 'number');
}

function memberOf(leaf: Member, outcome: boolean): Residual {
  const { item, list, emptyIsUnknown } = leaf;
  const [readItem, readList] = [readerOfTerm(item), readerOfTerm(list)];
  const whole = wholeOf(leaf, outcome);
  return (request, isOpen) => {
    const [isItemOpen, isListOpen] = [isOpenTerm(item, isOpen), isOpenTerm(list, isOpen)];
    if (isItemOpen) {
      if (isListOpen || 'values' in list) return whole;
      const values = possibleMembers(readList(request), emptyIsUnknown, outcome);
      return values === undefined ? NEVER : { kind: 'leaf', leaf: { ...leaf, list: bare({ values }) }, outcome };
    }
    const value = readItem(request);
    if (!isListOpen) return settled(findValue(value, readList(request), emptyIsUnknown) === outcome);
    if (isConstantTerm(item)) return whole;
    if (isUnknown(value, emptyIsUnknown) || !isScalar(value)) return NEVER;
    return { kind: 'leaf', leaf: { ...leaf, item: bare({ value }) }, outcome };
  };
}

/** The elements of a list that say something; nothing when no item can have the outcome in this list. */
function possibleMembers(list: unknown, emptyIsUnknown: boolean, outcome: boolean): readonly Scalar[] | undefined {
  if (!Array.isArray(list)) return undefined;
  const elements: readonly unknown[] = Array.from(list);
  const values = elements.filter(isScalar).filter((value) => !isUnknown(value, emptyIsUnknown));
  // An element that says nothing may be any value: a match is still one, but nothing is known to be absent.
  if (outcome ? values.length === 0 : values.length < elements.length) return undefined;
  return values;
}

function isOpenTerm(term: Term | Constants, isOpen: IsOpen): boolean {
  return 'attr' in term && isOpen(term);
}

function readerOfTerm(term: Term | Constants): (request: AccessRequest) => unknown {
  if ('attr' in term) return readerOf(term.attr, term.timeZone);
  return 'value' in term ? () => term.value : () => term.values;
}

function settled(holds: boolean): Formula {
  return holds ? ALWAYS : NEVER;
}
