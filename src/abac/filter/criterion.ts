import type { Scalar } from '../policy/policy.ts';
import type { Field } from './columns.ts';

export type Operator = 'eq' | 'ne' | 'lt' | 'lte' | 'gt' | 'gte';

/**
 * What a database is asked. But for `absent`, a criterion never holds where a field in it is `NULL`, and its values
 * are of the type of its fields. `outcome: false` asks for the opposite, of fields that are not `NULL` all the same.
 */
export type Criterion<C> =
  | { readonly kind: 'all' | 'any'; readonly criteria: readonly Criterion<C>[] }
  | { readonly kind: 'known' | 'absent'; readonly field: Field<C> }
  | Compare<C>
  | Affix<C>
  | OneOf<C>
  | Has<C>
  /** Every element of the list is something other than `NULL`. */
  | { readonly kind: 'complete'; readonly list: Field<C> };

/** Numbers, or texts by code point; booleans only with `eq` and `ne`. */
export interface Compare<C> {
  readonly kind: 'compare';
  readonly operator: Operator;
  readonly field: Field<C>;
  readonly other: Field<C> | Value;
}

/** One text begins or ends with another. */
export interface Affix<C> {
  readonly kind: 'startsWith' | 'endsWith';
  readonly text: Field<C> | Value;
  readonly affix: Field<C> | Value;
  readonly outcome: boolean;
}

/** The field is one of the values, of which there is at least one. */
export interface OneOf<C> {
  readonly kind: 'oneOf';
  readonly field: Field<C>;
  readonly values: readonly Scalar[];
  readonly outcome: boolean;
}

/** The list has the item. The opposite: every element is something other than `NULL` and than the item. */
export interface Has<C> {
  readonly kind: 'has';
  readonly list: Field<C>;
  readonly item: Field<C> | Value;
  readonly outcome: boolean;
}

export interface Value {
  readonly value: Scalar;
}

export function isValue(side: object): side is Value {
  return Object.hasOwn(side, 'value');
}

/** All criteria hold; those of nested ones stand side by side. */
export function every<C>(...criteria: readonly Criterion<C>[]): Criterion<C> {
  return joined('all', criteria);
}

/** At least one holds. */
export function some<C>(...criteria: readonly Criterion<C>[]): Criterion<C> {
  return joined('any', criteria);
}

/** Holds for nothing. */
export function never<C>(): Criterion<C> {
  return { kind: 'any', criteria: [] };
}

/** Holds for everything. */
export function always<C>(): Criterion<C> {
  return { kind: 'all', criteria: [] };
}

function joined<C>(kind: 'all' | 'any', criteria: readonly Criterion<C>[]): Criterion<C> {
  const parts = criteria.flatMap((part) => (part.kind === kind ? part.criteria : [part]));
  const settling = parts.find(
    (part) => (part.kind === 'all' || part.kind === 'any') && part.kind !== kind && part.criteria.length === 0,
  );
  const [only] = parts;
  return settling ?? (only !== undefined && parts.length === 1 ? only : { kind, criteria: parts });
}
