import { refuseUnknownOptions } from '../../core/config-invalid.ts';
import type { Scalar } from '../policy/policy.ts';
import { type ColumnOption, type Field, fieldsIn, inexact, isList } from './columns.ts';
import { criteriaOf } from './criteria.ts';
import { type Affix, type Compare, type Criterion, isValue, type OneOf, type Value } from './criterion.ts';
import type { Filter } from './filter.ts';

export interface UcastFilterOptions {
  /**
   * The field of every attribute that the policy reads, by its name without `resource.`, with its type, which is
   * `text` unless another is named. A field holds values of that type or `null`.
   */
  readonly fields: Readonly<Record<string, ColumnOption>>;
}

/** A condition in the JSON form of UCAST, as OPA's compile API writes it. */
export type UcastCondition =
  | { readonly type: 'compound'; readonly operator: 'and' | 'or' | 'not'; readonly value: readonly UcastCondition[] }
  | {
      readonly type: 'field';
      readonly operator: 'eq' | 'ne' | 'lt' | 'lte' | 'gt' | 'gte' | 'in' | 'nin' | 'startswith' | 'endswith';
      readonly field: string;
      readonly value: Scalar | null | readonly Scalar[] | { readonly field: string };
    };

/**
 * Turns a filter into UCAST JSON. `and` of nothing stands for all resources, `or` of nothing for none.
 *
 * @throws `CONFIG_INVALID` when a field is missing or cannot be meant.
 * @throws `AUTHZ_FILTER_INEXACT` for lists, for the order of texts and for what else UCAST leaves to its reader.
 * @example
 * const condition = toUcast(filter, { fields: { owner_id: 'posts.owner_id' } });
 */
export function toUcast(filter: Filter, options: UcastFilterOptions): UcastCondition {
  refuseUnknownOptions(options, ['fields']);
  return conditionOf(criteriaOf(filter, fieldsIn('fields', options.fields)));
}

function conditionOf(criterion: Criterion<string>): UcastCondition {
  switch (criterion.kind) {
    case 'all':
      return compound('and', criterion.criteria.map(conditionOf));
    case 'any':
      return compound('or', criterion.criteria.map(conditionOf));
    case 'known':
      return isNull('ne', criterion.field);
    case 'absent':
      return isNull('eq', criterion.field);
    case 'compare':
      return comparison(criterion);
    case 'startsWith':
    case 'endsWith':
      return affix(criterion);
    case 'oneOf':
      return oneOf(criterion);
    default:
      throw inexact(criterion.list.column, 'is a list');
  }
}

function comparison({ operator, field, other }: Compare<string>): UcastCondition {
  const isOrder = operator !== 'eq' && operator !== 'ne';
  if (isOrder && field.type === 'text') throw inexact(field.column, 'is a text whose order depends on the database');
  const condition = fieldCondition(operator, field, isValue(other) ? other.value : { field: other.column });
  return operator === 'eq' && isValue(other) ? condition : withoutNull(condition, field, other);
}

function affix({ kind, text, affix: part, outcome }: Affix<string>): UcastCondition {
  if (isValue(text) || !isValue(part)) throw inexact(kind, 'takes a field and then a value');
  const condition = fieldCondition(kind === 'startsWith' ? 'startswith' : 'endswith', text, part.value);
  return outcome ? condition : withoutNull(compound('not', [condition]), text, part);
}

function oneOf({ field, values, outcome }: OneOf<string>): UcastCondition {
  const condition = fieldCondition(outcome ? 'in' : 'nin', field, values);
  return outcome ? condition : withoutNull(condition, field, { value: '' });
}

/** Readers differ in what they make of `null`, so it is left out expressly wherever it might be let through. */
function withoutNull(condition: UcastCondition, field: Field<string>, other: Field<string> | Value): UcastCondition {
  const others = isValue(other) ? [] : [isNull('ne', other)];
  return compound('and', [isNull('ne', field), ...others, condition]);
}

function isNull(operator: 'eq' | 'ne', field: Field<string>): UcastCondition {
  if (isList(field)) throw inexact(field.column, 'is a list');
  return fieldCondition(operator, field, null);
}

type FieldCondition = Extract<UcastCondition, { readonly type: 'field' }>;

function fieldCondition(
  operator: FieldCondition['operator'],
  field: Field<string>,
  value: FieldCondition['value'],
): UcastCondition {
  return { type: 'field', operator, field: field.column, value };
}

function compound(operator: 'and' | 'or' | 'not', value: readonly UcastCondition[]): UcastCondition {
  return { type: 'compound', operator, value };
}
