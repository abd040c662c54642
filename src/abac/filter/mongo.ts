import { configInvalid, refuseUnknownOptions } from '../../core/config-invalid.ts';
import { ownProperty } from '../../core/own-property.ts';
import type { Formula } from '../condition/formula.ts';
import { isConstantTerm, type Leaf, type Term } from '../condition/node.ts';
import type { AttributeRef, Scalar } from '../policy/policy.ts';
import { inexact, nameOf } from './columns.ts';
import type { Filter } from './filter.ts';

export interface MongoFilterOptions {
  /** The field that holds an attribute, where it has another name: `{ id: '_id' }`. It lies at the top of documents. */
  readonly fields?: Readonly<Record<string, string>>;
}

/** A query of MongoDB. */
export type MongoQuery = Readonly<Record<string, unknown>>;
type FieldOf = (attribute: AttributeRef) => string;

/** What JavaScript reads as a string, a boolean or a number; a Decimal128 is none of these. */
const NUMBERS = ['double', 'int', 'long'];
const SCALARS = ['string', 'bool', ...NUMBERS];
const NOT_FINITE = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
/** A query for a value also finds arrays that hold it; these are lists and no scalars. */
const NO_ARRAY = { $not: { $type: 'array' } };
const NOTHING: MongoQuery = { $nor: [{}] };

/**
 * Turns a filter into a MongoDB query. It minds the type of what a document holds, so that neither an array with
 * the right member nor a missing field is taken for a value.
 *
 * @throws `CONFIG_INVALID` when a field cannot be meant.
 * @throws `AUTHZ_FILTER_INEXACT` for one field against another, and for texts that are not well-formed.
 * @example
 * const visible = await posts.find(toMongo(filter, { fields: { id: '_id' } })).toArray();
 */
export function toMongo(filter: Filter, options: MongoFilterOptions = {}): MongoQuery {
  refuseUnknownOptions(options, ['fields']);
  const fieldOf: FieldOf = ({ attr }) => {
    const name = nameOf(attr);
    const field = ownProperty(options.fields, name) ?? name;
    if (typeof field !== 'string' || !/^[^$.\0][^.\0]*$/.test(field))
      throw configInvalid(`fields.${name}`, 'must name a field at the top of the documents');
    return field;
  };
  if (filter.kind === 'some') return queryOf(filter.formula, fieldOf);
  return filter.kind === 'all' ? {} : NOTHING;
}

function queryOf(formula: Formula, fieldOf: FieldOf): MongoQuery {
  if (formula.kind === 'leaf') return leafQuery(formula.leaf, formula.outcome, fieldOf);
  const parts = formula.formulas.map((part) => queryOf(part, fieldOf));
  if (parts.length === 0) return formula.kind === 'all' ? {} : NOTHING;
  return formula.kind === 'all' ? { $and: parts } : { $or: parts };
}

function leafQuery(leaf: Leaf, outcome: boolean, fieldOf: FieldOf): MongoQuery {
  switch (leaf.kind) {
    case 'predicate':
      throw inexact(leaf.name, 'is a predicate');
    case 'present': {
      const field = fieldOf(leaf.attribute);
      return { [outcome ? '$or' : '$nor']: [otherThan(field, []), { [field]: { $type: 'array' } }] };
    }
    case 'member': {
      const empty = emptyText(leaf.emptyIsUnknown);
      if ('values' in leaf.list) {
        if (isConstantTerm(leaf.item)) return NOTHING;
        return oneOf(fieldOf(leaf.item), leaf.list.values.map(wellFormed), outcome, empty);
      }
      if (!isConstantTerm(leaf.item)) throw inexact(leaf.item.attr, 'is searched in another attribute');
      return has(fieldOf(leaf.list), wellFormed(leaf.item.value), outcome, empty);
    }
    default:
      return comparison(leaf, outcome, fieldOf);
  }
}

function comparison(leaf: Extract<Leaf, { readonly left: Term }>, outcome: boolean, fieldOf: FieldOf): MongoQuery {
  const { kind, left, right } = leaf;
  const empty = emptyText(leaf.emptyIsUnknown);
  if (isConstantTerm(left)) {
    if (isConstantTerm(right)) return NOTHING;
    const value = wellFormed(left.value);
    if (kind === 'equal') return oneOf(fieldOf(right), [value], outcome, empty);
    if (kind === 'less') return ordered(fieldOf(right), outcome ? '$gt' : '$lte', value, empty);
    throw inexact(right.attr, `is looked for by ${kind}`);
  }
  if (!isConstantTerm(right)) throw inexact(left.attr, 'is compared with another attribute');
  const value = wellFormed(right.value);
  if (kind === 'equal') return oneOf(fieldOf(left), [value], outcome, empty);
  if (kind === 'less') return ordered(fieldOf(left), outcome ? '$lt' : '$gte', value, empty);
  return affix(fieldOf(left), kind, value, outcome, empty);
}

function oneOf(field: string, values: readonly Scalar[], outcome: boolean, empty: readonly Scalar[]): MongoQuery {
  if (!outcome) return otherThan(field, [...values, ...empty]);
  return { [field]: { $in: [...values], $type: SCALARS, ...NO_ARRAY } };
}

/** The field has a value that can be compared, and none of these. */
function otherThan(field: string, values: readonly Scalar[]): MongoQuery {
  return { [field]: { $nin: [...NOT_FINITE, ...values], $type: SCALARS, ...NO_ARRAY } };
}

/** MongoDB compares texts by their UTF-8 bytes, which is by code point. */
function ordered(field: string, operator: string, value: Scalar, empty: readonly Scalar[]): MongoQuery {
  if (typeof value === 'boolean') return NOTHING;
  const $type = typeof value === 'string' ? ['string'] : NUMBERS;
  return { [field]: { [operator]: value, $type, $nin: [...NOT_FINITE, ...empty], ...NO_ARRAY } };
}

/** `$` would also match before a line break at the end. */
function affix(
  field: string,
  kind: 'startsWith' | 'endsWith',
  value: Scalar,
  outcome: boolean,
  empty: readonly Scalar[],
): MongoQuery {
  if (typeof value !== 'string') return NOTHING;
  if (value.includes('\0')) throw inexact(kind, 'compares with U+0000, which no regular expression of MongoDB holds');
  const literal = value.replace(/\W/gu, escaped);
  const $regex = kind === 'startsWith' ? `^${literal}` : `${literal}(?![\\s\\S])`;
  const text = { [field]: { $type: ['string'], $nin: [...empty], ...NO_ARRAY } };
  return { $and: [text, outcome ? { [field]: { $regex } } : { [field]: { $not: { $regex } } }] };
}

/** Letters, digits and what is not ASCII stand for themselves; all else is written as its code. */
function escaped(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return code < 0x80 ? `\\x${code.toString(16).padStart(2, '0')}` : character;
}

/** One element that cannot be compared makes "the list does not have it" unknown. */
function has(field: string, value: Scalar, outcome: boolean, empty: readonly Scalar[]): MongoQuery {
  if (outcome) return { [field]: { $elemMatch: { $in: [value], $type: SCALARS, ...NO_ARRAY } } };
  const refused = [{ $in: [value, ...NOT_FINITE, ...empty] }, { $not: { $type: SCALARS } }, { $type: 'array' }];
  return {
    $and: [{ [field]: { $type: 'array' } }, ...refused.map((one) => ({ [field]: { $not: { $elemMatch: one } } }))],
  };
}

function emptyText(isUnknown: boolean): readonly Scalar[] {
  return isUnknown ? [''] : [];
}

/** The driver would put another character in the place of half a surrogate pair. */
function wellFormed(value: Scalar): Scalar {
  if (typeof value === 'string' && /\p{Surrogate}/u.test(value))
    throw inexact('the value of an attribute', 'is a text that is not well-formed');
  return value;
}
