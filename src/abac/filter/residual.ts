import type { AccessRequest } from '../../core/index.ts';
import { type Reader, readerOf } from '../condition/attribute.ts';
import { ALWAYS, all, any, type Formula, NEVER } from '../condition/formula.ts';
import { type Constants, isConstantTerm, type Leaf, type Term } from '../condition/node.ts';
import { isScalar } from '../condition/value.ts';
import type { AttributeRef, Scalar } from '../policy/policy.ts';
import { compareValues, findValue, isPresent, isUnknown } from './settle.ts';

/** What is left of a formula when everything but the resource is known. */
export type Residual = (query: AccessRequest) => Formula;

type Compare = Extract<Leaf, { readonly left: Term }>;
type Member = Extract<Leaf, { readonly kind: 'member' }>;

/** Prepares a formula for partial evaluation: the attributes of the resource stay open, all others are read. */
export function residualOf(formula: Formula): Residual {
  if (formula.kind === 'leaf') return leafOf(formula.leaf, formula.outcome);
  const parts = formula.formulas.map(residualOf);
  const [join, settling] = formula.kind === 'all' ? [all, NEVER] : [any, ALWAYS];
  return (query) => {
    const left: Formula[] = [];
    for (const part of parts) {
      const formula = part(query);
      if (formula === settling) return settling;
      left.push(formula);
    }
    return join(...left);
  };
}

function leafOf(leaf: Leaf, outcome: boolean): Residual {
  switch (leaf.kind) {
    case 'predicate':
      return fixed(leaf, outcome);
    case 'present': {
      if (isOpen(leaf.attribute)) return fixed(leaf, outcome);
      const read = readerOfTerm(leaf.attribute);
      return (query) => settled(isPresent(read(query)) === outcome);
    }
    case 'member':
      return memberOf(leaf, outcome);
    default:
      return compareOf(leaf, outcome);
  }
}

function compareOf(leaf: Compare, outcome: boolean): Residual {
  const { kind, left, right, emptyIsUnknown } = leaf;
  if (isOpen(left) || isOpen(right)) {
    const known = [left, right].find((term) => !isOpen(term) && !isConstantTerm(term));
    if (known === undefined) return fixed(leaf, outcome);
    const read = readerOfTerm(known);
    return (query) => {
      const value = read(query);
      if (isUnknown(value, emptyIsUnknown) || !isScalar(value) || !hasOutcome(kind, value)) return NEVER;
      const filled: Leaf = known === left ? { ...leaf, left: { value } } : { ...leaf, right: { value } };
      return { kind: 'leaf', leaf: filled, outcome };
    };
  }
  const [readLeft, readRight] = [readerOfTerm(left), readerOfTerm(right)];
  return (query) => settled(compareValues(kind, readLeft(query), readRight(query), emptyIsUnknown) === outcome);
}

/** Only texts begin and end; booleans have no order. */
function hasOutcome(kind: Compare['kind'], value: Scalar): boolean {
  return kind === 'equal' || typeof value === 'string' || (kind === 'less' && typeof value === 'number');
}

function memberOf(leaf: Member, outcome: boolean): Residual {
  const { item, list, emptyIsUnknown } = leaf;
  const readItem = readerOfTerm(item);
  const readList: Reader = 'values' in list ? () => list.values : readerOfTerm(list);
  if (isOpen(list)) {
    if (isOpen(item) || isConstantTerm(item)) return fixed(leaf, outcome);
    return (query) => {
      const value = readItem(query);
      if (isUnknown(value, emptyIsUnknown) || !isScalar(value)) return NEVER;
      return { kind: 'leaf', leaf: { ...leaf, item: { value } }, outcome };
    };
  }
  if (!isOpen(item)) {
    return (query) => settled(findValue(readItem(query), readList(query), emptyIsUnknown) === outcome);
  }
  if ('values' in list) return fixed(leaf, outcome);
  return (query) => {
    const elements: unknown = readList(query);
    if (!Array.isArray(elements)) return NEVER;
    const all: readonly unknown[] = Array.from(elements);
    const values = all.filter(isScalar).filter((value) => !isUnknown(value, emptyIsUnknown));
    // An element that says nothing may be any value: a match is still one, but nothing is known to be absent.
    if (outcome ? values.length === 0 : values.length < all.length) return NEVER;
    return { kind: 'leaf', leaf: { ...leaf, list: { values } }, outcome };
  };
}

/** An attribute that only a resource can answer for. */
export function isOpen(term: Term | Constants): term is AttributeRef {
  return 'attr' in term && term.attr.startsWith('resource.') && term.attr !== 'resource.type';
}

function readerOfTerm(term: Term): Reader {
  return isConstantTerm(term) ? () => term.value : readerOf(term.attr, term.timeZone);
}

function fixed(leaf: Leaf, outcome: boolean): Residual {
  const formula: Formula = { kind: 'leaf', leaf, outcome };
  return () => formula;
}

function settled(holds: boolean): Formula {
  return holds ? ALWAYS : NEVER;
}
