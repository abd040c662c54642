import type { Formula } from '../condition/formula.ts';
import { isConstantTerm, type Leaf, type Term } from '../condition/node.ts';
import type { Scalar } from '../policy/policy.ts';
import { elementType, type Field, type FieldOf, inexact, isList, refuseAssumedType } from './columns.ts';
import { always, type Criterion, every, isValue, never, type Operator, some, type Value } from './criterion.ts';
import type { Filter } from './filter.ts';

type Side<C> = Field<C> | Value;

/**
 * Says a filter in terms of typed columns. What the type of a column settles is settled here: a text is never
 * equal to a number, and neither comes before the other.
 */
export function criteriaOf<C>(filter: Filter, fieldOf: FieldOf<C>): Criterion<C> {
  if (filter.kind === 'some') return criterionOf(filter.formula, fieldOf);
  return filter.kind === 'all' ? always() : never();
}

function criterionOf<C>(formula: Formula, fieldOf: FieldOf<C>): Criterion<C> {
  if (formula.kind === 'leaf') return leafCriterion(formula.leaf, formula.outcome, fieldOf);
  return (formula.kind === 'all' ? every : some)(...formula.formulas.map((part) => criterionOf(part, fieldOf)));
}

function leafCriterion<C>(leaf: Leaf, outcome: boolean, fieldOf: FieldOf<C>): Criterion<C> {
  const sideOf = (term: Term): Side<C> => (isConstantTerm(term) ? term : fieldOf(term));
  switch (leaf.kind) {
    case 'predicate':
      throw inexact(leaf.name, 'is a predicate');
    case 'present': {
      const field = fieldOf(leaf.attribute);
      return outcome ? usable(field, false) : absent(field);
    }
    case 'member': {
      const empty = leaf.emptyIsUnknown;
      if ('attr' in leaf.list) return has(fieldOf(leaf.list), sideOf(leaf.item), outcome, empty);
      const item = sideOf(leaf.item);
      return isValue(item) ? never() : oneOf(item, leaf.list.values, outcome, empty);
    }
    default: {
      const [left, right] = [sideOf(leaf.left), sideOf(leaf.right)];
      if ([left, right].some((side) => !isValue(side) && isList(side))) return never();
      if (leaf.kind === 'equal') return equal(left, right, outcome, leaf.emptyIsUnknown);
      return leaf.kind === 'less'
        ? less(left, right, outcome, leaf.emptyIsUnknown)
        : affix(leaf.kind, left, right, outcome, leaf.emptyIsUnknown);
    }
  }
}

function equal<C>(left: Side<C>, right: Side<C>, outcome: boolean, empty: boolean): Criterion<C> {
  const [field, other] = isValue(left) ? [right, left] : [left, right];
  if (isValue(field)) return never();
  if (!canEqual(field, other)) return outcome ? never() : every(usable(field, empty), usable(other, empty));
  const limits = every(limitsOf(field, empty), limitsOf(other, empty));
  if (!outcome) return every(compare('ne', field, other), limits);
  return every(compare('eq', field, other), isValue(other) ? limitsOf(other, empty) : limits);
}

function less<C>(left: Side<C>, right: Side<C>, outcome: boolean, empty: boolean): Criterion<C> {
  const group = groupOf(left);
  if (group !== groupOf(right)) refuseAssumedType(left, right);
  if (group !== groupOf(right) || (group !== 'text' && group !== 'number')) return never();
  refuseInexactTexts(left, right);
  const limits = every(limitsOf(left, empty), limitsOf(right, empty));
  if (!isValue(left)) return every(compare(outcome ? 'lt' : 'gte', left, right), limits);
  return isValue(right) ? never() : every(compare(outcome ? 'gt' : 'lte', right, left), limits);
}

function affix<C>(
  kind: 'startsWith' | 'endsWith',
  text: Side<C>,
  part: Side<C>,
  outcome: boolean,
  empty: boolean,
): Criterion<C> {
  if (groupOf(text) !== 'text' || groupOf(part) !== 'text') return never();
  refuseInexactTexts(text, part);
  return every({ kind, text, affix: part, outcome }, limitsOf(text, empty), limitsOf(part, empty));
}

function oneOf<C>(field: Field<C>, values: readonly Scalar[], outcome: boolean, empty: boolean): Criterion<C> {
  if (isList(field)) return never();
  const possible = values.filter((value) => canEqual(field, { value }));
  const [only] = possible;
  if (only === undefined) return outcome ? never() : usable(field, empty);
  const test: Criterion<C> =
    possible.length === 1
      ? { kind: 'compare', operator: outcome ? 'eq' : 'ne', field, other: { value: only } }
      : { kind: 'oneOf', field, values: possible, outcome };
  return outcome ? test : every(test, limitsOf(field, empty));
}

function has<C>(list: Field<C>, item: Side<C>, outcome: boolean, empty: boolean): Criterion<C> {
  if (!isList(list)) refuseAssumedType(list);
  if (!isList(list) || (!isValue(item) && isList(item))) return never();
  const possible = canEqual(list, item);
  if (outcome) return possible ? every({ kind: 'has', list, item, outcome }, limitsOf(item, empty)) : never();
  return every(
    possible ? { kind: 'has', list, item, outcome } : { kind: 'complete', list },
    possible ? limitsOf(item, empty) : usable(item, empty),
    ...unusableElements(list, empty).map((value) => ({ kind: 'has' as const, list, item: { value }, outcome: false })),
  );
}

/** A list of numbers may hold what JavaScript has as NaN and infinity, and a list of texts empty ones. */
function unusableElements(list: Field<unknown>, empty: boolean): readonly Scalar[] {
  const type = elementType(list);
  if (type === 'text') return empty ? [''] : [];
  return type === 'number' ? [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY] : [];
}

/** A side has a value that can be compared. */
function usable<C>(side: Side<C>, empty: boolean): Criterion<C> {
  const limits = limitsOf(side, empty);
  return isValue(side) || limits.kind !== 'all' || limits.criteria.length > 0 ? limits : { kind: 'known', field: side };
}

/** What has to be asked of a value that is not `NULL`, so that it can be compared. */
function limitsOf<C>(side: Side<C>, empty: boolean): Criterion<C> {
  if (isValue(side)) return empty && side.value === '' ? never() : always();
  if (side.type === 'text' && empty) return compare('ne', side, { value: '' });
  if (side.type !== 'number') return always();
  return every(compare('gte', side, { value: -Number.MAX_VALUE }), compare('lte', side, { value: Number.MAX_VALUE }));
}

/** A number that is not finite is absent too. In a database, NaN is greater than every number. */
function absent<C>(field: Field<C>): Criterion<C> {
  if (field.type !== 'number') return { kind: 'absent', field };
  return some(
    { kind: 'absent', field },
    compare('gt', field, { value: Number.MAX_VALUE }),
    compare('lt', field, { value: -Number.MAX_VALUE }),
  );
}

function compare<C>(operator: Operator, field: Field<C>, other: Side<C>): Criterion<C> {
  if (isValue(other) && elementType(field) === 'integer') return compareWhole(operator, field, Number(other.value));
  return { kind: 'compare', operator, field, other };
}

/** A column of whole numbers is compared with whole numbers, so that its index is of use. */
function compareWhole<C>(operator: Operator, field: Field<C>, value: number): Criterion<C> {
  const bound = operator === 'lt' || operator === 'gte' ? Math.ceil(value) : Math.floor(value);
  if (Number.isSafeInteger(bound)) return { kind: 'compare', operator, field, other: { value: bound } };
  const isUpper = operator === 'lt' || operator === 'lte';
  return bound > 0 === isUpper ? { kind: 'known', field } : never();
}

type Group = 'text' | 'number' | 'boolean';

function groupOf(side: Side<unknown>): Group {
  if (isValue(side)) return typeof side.value === 'string' ? 'text' : (typeof side.value as 'number' | 'boolean');
  const type = elementType(side);
  if (type === 'uuid') return 'text';
  return type === 'integer' ? 'number' : type;
}

function canEqual(field: Field<unknown>, other: Side<unknown>): boolean {
  if (groupOf(field) !== groupOf(other)) {
    refuseAssumedType(field, other);
    return false;
  }
  if (!isValue(other)) {
    if ((elementType(field) === 'uuid') === (elementType(other) === 'uuid')) return true;
    throw inexact('a UUID', 'is compared with a column of texts');
  }
  if (elementType(field) === 'uuid') return UUID.test(String(other.value));
  if (elementType(field) === 'integer') return Number.isSafeInteger(other.value);
  return typeof other.value !== 'string' || isStorable(other.value);
}

/** As databases write it, so that equal UUIDs are equal texts. */
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** No database keeps U+0000 or half a surrogate pair; drivers would put something else in its place. */
function isStorable(text: string): boolean {
  return !/\0|\p{Surrogate}/u.test(text);
}

/** Where it matters what a text is made of, the side must be a text that a database has. */
function refuseInexactTexts(...sides: readonly Side<unknown>[]): void {
  for (const side of sides) {
    if (!isValue(side)) {
      if (side.type === 'uuid') throw inexact('a UUID', 'is compared by its text');
    } else if (typeof side.value === 'string' && !isStorable(side.value)) {
      throw inexact('the value of an attribute', 'is a text that no database can hold');
    }
  }
}
