import type { Scalar } from '../policy/policy.ts';
import { elementType, type Field, type ScalarType } from './columns.ts';
import { type Affix, type Compare, type Criterion, type Has, isValue, type OneOf, type Value } from './criterion.ts';

/** A piece of a statement: text of our own, a column, or a value that becomes a parameter. */
export type Piece<C> = string | { readonly column: C } | { readonly value: Scalar | readonly Scalar[] };

/** By an own property: a value that inherits a column is no column. */
export function isColumn<C>(piece: Exclude<Piece<C>, string>): piece is { readonly column: C } {
  return Object.hasOwn(piece, 'column');
}

const SIGNS = { eq: '=', ne: '<>', lt: '<', lte: '<=', gt: '>', gte: '>=' } as const;
const POSTGRES_TYPES: Readonly<Record<ScalarType, string>> = {
  text: 'text',
  uuid: 'uuid',
  number: 'float8',
  integer: 'bigint',
  boolean: 'boolean',
};

/**
 * Writes a criterion for PostgreSQL. Nothing but `NOT starts_with(...)` and the like is ever negated, so a `NULL`
 * leaves its row out.
 */
export function sqlOf<C>(criterion: Criterion<C>): readonly Piece<C>[] {
  switch (criterion.kind) {
    case 'all':
    case 'any':
      return junction(criterion.criteria.map(sqlOf), criterion.kind === 'all');
    case 'known':
      return [column(criterion.field), ' IS NOT NULL'];
    case 'absent':
      return [column(criterion.field), ' IS NULL'];
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
      return complete(criterion.list);
  }
}

function junction<C>(parts: readonly (readonly Piece<C>[])[], isAll: boolean): readonly Piece<C>[] {
  const [first, ...others] = parts;
  if (first === undefined) return [isAll ? 'TRUE' : 'FALSE'];
  const word = isAll ? ' AND ' : ' OR ';
  return ['(', ...first, ...others.flatMap((part) => [word, ...part]), ')'];
}

function comparison<C>({ operator, field, other }: Compare<C>): readonly Piece<C>[] {
  const isOrder = operator !== 'eq' && operator !== 'ne';
  const collation = isOrder && elementType(field) === 'text' ? ' COLLATE "C"' : '';
  return [column(field), `${collation} ${SIGNS[operator]} `, ...sideOf(other, field), collation];
}

/** `starts_with` and `right` know no wildcards, so there is none to escape. */
function affix<C>({ kind, text, affix: part, outcome }: Affix<C>): readonly Piece<C>[] {
  const not = outcome ? '' : 'NOT ';
  const [textSql, partSql] = [textOf(text), textOf(part)];
  if (kind === 'startsWith') return [`${not}starts_with(`, ...textSql, ', ', ...partSql, ')'];
  return [`${not}(right(`, ...textSql, ', length(', ...partSql, ')) = ', ...partSql, ')'];
}

function oneOf<C>({ field, values, outcome }: OneOf<C>): readonly Piece<C>[] {
  const name = column(field);
  return [name, outcome ? ' = ANY(' : ' <> ALL(', ...parameter<C>(values, elementType(field), '[]'), ')'];
}

/**
 * `@>` is what an index over arrays answers, but it knows no `integer[]` beside a `bigint[]`. Neither it nor `= ANY`
 * minds `NULL` elements; `<> ALL` does, except that it finds `NULL` itself to be missing from an empty list.
 */
function has<C>({ list, item, outcome }: Has<C>): readonly Piece<C>[] {
  const name = column(list);
  if (isValue(item)) {
    const type = elementType(list);
    if (outcome && type !== 'integer') return flat(list, [name, ' @> ', ...parameter<C>([item.value], type, '[]')]);
    return flat(list, [...parameter<C>(item.value, type), outcome ? ' = ANY(' : ' <> ALL(', name, ')']);
  }
  return outcome
    ? flat(list, [column(item), ' = ANY(', name, ')'])
    : flat(list, [column(item), ' IS NOT NULL AND ', column(item), ' <> ALL(', name, ')']);
}

function complete<C>(list: Field<C>): readonly Piece<C>[] {
  const name = column(list);
  return flat(list, [name, ' IS NOT NULL AND array_position(', name, ', NULL) IS NULL']);
}

/** An array of arrays is a list of lists to JavaScript, and to PostgreSQL a list of everything within. */
function flat<C>(list: Field<C>, test: readonly Piece<C>[]): readonly Piece<C>[] {
  return ['(', ...test, ' AND coalesce(array_ndims(', column<C>(list), '), 1) = 1)'];
}

function textOf<C>(side: Field<C> | Value): readonly Piece<C>[] {
  return isValue(side) ? parameter(side.value, 'text') : [column(side)];
}

function sideOf<C>(side: Field<C> | Value, like: Field<C>): readonly Piece<C>[] {
  return isValue(side) ? parameter(side.value, elementType(like)) : [column(side)];
}

function parameter<C>(value: Scalar | readonly Scalar[], type: ScalarType, list: '' | '[]' = ''): readonly Piece<C>[] {
  return [{ value }, `::${POSTGRES_TYPES[type]}${list}`];
}

function column<C>({ column }: Field<C>): Piece<C> {
  return { column };
}
