import { configInvalid, refuseUnknownOptions } from '../../core/config-invalid.ts';
import { type ColumnOption, type FieldOf, fieldsIn, inexact, isList } from './columns.ts';
import { criteriaOf } from './criteria.ts';
import {
  type Affix,
  always,
  type Compare,
  type Criterion,
  every,
  type Has,
  isValue,
  never,
  type OneOf,
  some,
} from './criterion.ts';
import type { Filter } from './filter.ts';

export interface PrismaFilterOptions {
  /**
   * The field of every attribute that the policy reads, by its name without `resource.`, with its type, which is
   * `text` unless another is named: `integer` is Prisma's `Int`, `number` its `Float` (up to 1e308),
   * `text[]` its `String[]`.
   */
  readonly fields: Readonly<Record<string, ColumnOption>>;
  /** The attributes whose field is not optional in the schema: Prisma refuses to compare those with `null`. */
  readonly required?: readonly string[];
}

/** A `where` of Prisma's client. */
export type PrismaWhere = Readonly<Record<string, unknown>>;

const OPERATORS = { eq: 'equals', ne: 'not', lt: 'lt', lte: 'lte', gt: 'gt', gte: 'gte' } as const;
const GREATEST = 1e308;
const LONGEST_LIST = 30_000;
const FIELD = /^(?!(?:AND|OR|NOT)$)[A-Za-z]\w*$/;

/**
 * Turns a filter into a `where` for Prisma over PostgreSQL.
 *
 * @throws `CONFIG_INVALID` when a field is missing or cannot be meant.
 * @throws `AUTHZ_FILTER_INEXACT` for what Prisma cannot answer as `decide` would: the order of texts, a field against
 * another, and beginnings and ends with a wildcard of SQL in them.
 * @example
 * const where = toPrisma(filter, { fields: { owner_id: 'ownerId' } });
 * const visible = await prisma.post.findMany({ where });
 */
export function toPrisma(filter: Filter, options: PrismaFilterOptions): PrismaWhere {
  refuseUnknownOptions(options, ['fields', 'required']);
  const { fields, required = [] } = options;
  const find = fieldsIn('fields', fields);
  const fieldOf: FieldOf<string> = (attribute) => {
    const field = find(attribute);
    if (!FIELD.test(field.column)) throw configInvalid('fields', 'has a name that is no field of a Prisma schema');
    return field;
  };
  const filled = new Set(required.map((name) => fieldOf({ attr: `resource.${name}` }).column));
  return whereOf(withoutNeedless(criteriaOf(filter, fieldOf), filled));
}

/**
 * Prisma's lists hold no `null`, and it reads a list that is `NULL` as an empty one. What is always so is taken out
 * beforehand, because Prisma leaves an empty `AND` out of the `OR` around it.
 */
function withoutNeedless(criterion: Criterion<string>, filled: ReadonlySet<string>): Criterion<string> {
  switch (criterion.kind) {
    case 'all':
      return every(...criterion.criteria.map((part) => withoutNeedless(part, filled)));
    case 'any':
      return some(...criterion.criteria.map((part) => withoutNeedless(part, filled)));
    case 'known':
      return isList(criterion.field) || filled.has(criterion.field.column) ? always() : criterion;
    case 'absent':
      return isList(criterion.field) || filled.has(criterion.field.column) ? never() : criterion;
    case 'complete':
      return always();
    case 'compare':
      return withinReach(criterion);
    default:
      return criterion;
  }
}

/**
 * Prisma writes the greatest numbers inexactly and PostgreSQL then refuses them, so the bounds between which a number
 * is finite lie a little closer.
 */
function withinReach(criterion: Compare<string>): Criterion<string> {
  const { field, other } = criterion;
  if (!isValue(other) || typeof other.value !== 'number' || Math.abs(other.value) <= GREATEST) return criterion;
  if (Math.abs(other.value) < Number.MAX_VALUE) throw inexact(field.column, `is compared beyond ${GREATEST}`);
  return { ...criterion, other: { value: Math.sign(other.value) * GREATEST } };
}

function whereOf(criterion: Criterion<string>): PrismaWhere {
  switch (criterion.kind) {
    case 'all':
      return criterion.criteria.length === 0 ? {} : { AND: criterion.criteria.map(whereOf) };
    case 'any':
      return { OR: criterion.criteria.map(whereOf) };
    case 'known':
      return { [criterion.field.column]: { not: null } };
    case 'absent':
      return { [criterion.field.column]: { equals: null } };
    case 'compare':
      return comparison(criterion);
    case 'startsWith':
    case 'endsWith':
      return affix(criterion);
    case 'oneOf':
      return oneOf(criterion);
    case 'has':
      return has(criterion);
    case 'complete':
      throw inexact(criterion.list.column, 'is a list');
  }
}

function comparison({ operator, field, other }: Compare<string>): PrismaWhere {
  if (!isValue(other)) throw inexact(field.column, 'is compared with another field');
  const isOrder = operator !== 'eq' && operator !== 'ne';
  if (isOrder && field.type === 'text') throw inexact(field.column, 'is a text whose order depends on the database');
  return { [field.column]: { [OPERATORS[operator]]: other.value } };
}

/** Prisma makes `LIKE` of these and does not escape what the value brings along. */
function affix({ kind, text, affix: part, outcome }: Affix<string>): PrismaWhere {
  if (isValue(text) || !isValue(part)) throw inexact(kind, 'takes a field and then a value');
  if (/[%_\\]/.test(String(part.value))) throw inexact(text.column, `is compared with a wildcard by ${kind}`);
  const where = { [text.column]: { [kind]: part.value } };
  return outcome ? where : { NOT: where };
}

/** Prisma splits a longer list, and with it the query, whose pages are then no longer the caller's. */
function oneOf({ field, values, outcome }: OneOf<string>): PrismaWhere {
  if (values.length > LONGEST_LIST) throw inexact(field.column, `is compared with more than ${LONGEST_LIST} values`);
  if (field.type !== 'boolean') return { [field.column]: { [outcome ? 'in' : 'notIn']: [...values] } };
  const each = values.map((value) => ({ [field.column]: { [outcome ? 'equals' : 'not']: value } }));
  return outcome ? { OR: each } : { AND: each };
}

function has({ list, item, outcome }: Has<string>): PrismaWhere {
  if (!isValue(item)) throw inexact(list.column, 'is searched for another field');
  if (typeof item.value === 'number' && !Number.isFinite(item.value))
    throw inexact(list.column, 'may hold numbers that are not finite');
  const where = { [list.column]: { has: item.value } };
  return outcome ? where : { OR: [{ NOT: where }, { [list.column]: { equals: null } }] };
}
