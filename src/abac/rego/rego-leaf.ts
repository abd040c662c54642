import { isConstantTerm, type Leaf, type Term } from '../condition/node.ts';
import type { AttributeRef } from '../policy/policy.ts';
import { regoScalar, regoSet } from './rego-text.ts';

/** How a module writes what the request holds. */
export interface RegoTerms {
  /** A term that is undefined when the value is missing. */
  readonly of: (attribute: AttributeRef) => string;
  /** The name of a rule that is defined when there is a value. */
  readonly presence: (attribute: AttributeRef) => string;
}

type Comparison = Extract<Leaf, { left: Term }>;
type Membership = Extract<Leaf, { kind: 'member' }>;

/** The lines of a rule's body that hold when a leaf is known to be true, or known to be false. */
export function leafLines(leaf: Exclude<Leaf, { kind: 'predicate' }>, outcome: boolean, terms: RegoTerms): string[] {
  switch (leaf.kind) {
    case 'present':
      return [outcome ? `is_present(${terms.of(leaf.attribute)})` : `not ${terms.presence(leaf.attribute)}`];
    case 'member':
      return membership(leaf, outcome, terms);
    case 'equal':
      return equality(leaf, outcome, terms);
    case 'less':
      return order(leaf, outcome, terms);
    default:
      return affix(leaf, outcome, terms);
  }
}

/** A value that equals a constant is known by that; of two that differ, both have to be known. */
function equality(leaf: Comparison, outcome: boolean, terms: RegoTerms): string[] {
  const [left, right] = attributesFirst(leaf).map((term) => written(term, terms));
  const isKnownByValue = outcome && (isConstantTerm(leaf.left) || isConstantTerm(leaf.right));
  const guards = isKnownByValue ? [] : guarded(leaf, leaf.emptyIsUnknown ? 'not_empty' : 'known', terms);
  return [...guards, `${left} ${outcome ? '==' : '!='} ${right}`];
}

/** Rego orders values of different types too, so the type is asked first. */
function order(leaf: Comparison, outcome: boolean, terms: RegoTerms): string[] {
  const [first, second] = attributesFirst(leaf);
  const operator = first === leaf.left ? (outcome ? '<' : '>=') : outcome ? '>' : '<=';
  const [left, right] = [written(first, terms), written(second, terms)];
  const guard = isConstantTerm(second) ? `is_${typeof second.value}(${left})` : `are_ordered(${left}, ${right})`;
  return [guard, `${left} ${operator} ${right}`];
}

/** Membership is equality with any element, so an element that is not known leaves a "no" unknown. */
function membership({ item, list, emptyIsUnknown }: Membership, outcome: boolean, terms: RegoTerms): string[] {
  const helper = emptyIsUnknown ? 'not_empty' : 'known';
  const value = written(item, terms);
  const isConstantList = 'values' in list;
  const many = isConstantList ? regoSet(list.values) : terms.of(list);
  const settled = isConstantList || outcome ? [] : [`every element in ${many} { ${helper}(element) }`];
  return [
    ...(isConstantTerm(item) || (outcome && isConstantList) ? [] : [`${helper}(${value})`]),
    ...(isConstantList ? [] : [`is_array(${many})`]),
    ...settled,
    outcome ? element(value, many) : `not ${value} in ${many}`,
  ];
}

/** A line that begins with a minus sign would be taken for the rest of the line before it. */
function element(value: string, many: string): string {
  return value.startsWith('-') ? `${many}[_] == ${value}` : `${value} in ${many}`;
}

function affix(leaf: Comparison, outcome: boolean, terms: RegoTerms): string[] {
  const call = `${leaf.kind.toLowerCase()}(${written(leaf.left, terms)}, ${written(leaf.right, terms)})`;
  const guards = guarded(leaf, 'is_string', terms);
  const empty = leaf.emptyIsUnknown ? guarded(leaf, 'not_empty', terms) : [];
  return [...empty, ...guards, outcome ? call : `not ${call}`];
}

/** One call of the helper for every side that is no constant. */
function guarded({ left, right }: Comparison, helper: string, terms: RegoTerms): string[] {
  return [left, right].flatMap((term) => (isConstantTerm(term) ? [] : [`${helper}(${terms.of(term)})`]));
}

function attributesFirst({ left, right }: Comparison): readonly [Term, Term] {
  return isConstantTerm(left) ? [right, left] : [left, right];
}

function written(term: Term, terms: RegoTerms): string {
  return isConstantTerm(term) ? regoScalar(term.value) : terms.of(term);
}
