import { configInvalid } from '../../core/config-invalid.ts';
import { DoorwardError } from '../../core/index.ts';
import { ownProperty } from '../../core/own-property.ts';
import type { AttributeRef } from '../policy/policy.ts';

export type ScalarType = 'text' | 'uuid' | 'number' | 'integer' | 'boolean';

/**
 * What a column holds beside `NULL`, as JavaScript sees it: texts, UUIDs (as texts in small letters), numbers, whole
 * numbers that are safe integers, booleans, or lists of them.
 */
export type ColumnType = ScalarType | `${ScalarType}[]`;

/** A column of a type; its form is the backend's. */
export interface Field<C> {
  readonly column: C;
  readonly type: ColumnType;
  /** The option that names the column and no type, so that texts were assumed. */
  readonly assumedAt?: string;
}

/** Finds the column that holds an attribute of the resource. */
export type FieldOf<C> = (attribute: AttributeRef) => Field<C>;

/** Where an attribute is kept: a column of texts, or a column of the type that is named. */
export type ColumnOption = string | { readonly column: string; readonly type: ColumnType };

const TYPES: ReadonlySet<unknown> = new Set(
  ['text', 'uuid', 'number', 'integer', 'boolean'].flatMap((type) => [type, `${type}[]`]),
);

/** Looks columns up in a map whose keys are the attribute's names without `resource.`. */
export function fieldsIn(option: string, columns: Readonly<Record<string, ColumnOption>>): FieldOf<string> {
  const fields = new Map<string, Field<string>>();
  for (const [name, entry] of Object.entries(columns)) {
    const at = `${option}.${name}`;
    const [column, type] = typeof entry === 'string' ? [entry, 'text' as const] : [entry?.column, entry?.type];
    if (typeof column !== 'string' || column === '') throw configInvalid(at, 'must name a column');
    if (!TYPES.has(type)) throw configInvalid(`${at}.type`, 'must be a known column type');
    fields.set(name, typeof entry === 'string' ? { column, type, assumedAt: at } : { column, type });
  }
  return ({ attr }) => fields.get(nameOf(attr)) ?? unmapped(option, nameOf(attr));
}

/** The same for columns of the backend's own kind, whose types `typeOf` tells. */
export function ownFieldsIn<C>(
  option: string,
  columns: Readonly<Record<string, C>>,
  typeOf: (column: C, at: string) => ColumnType,
): FieldOf<C> {
  return ({ attr }) => {
    const name = nameOf(attr);
    const column = ownProperty(columns, name) as C | undefined;
    if (column === undefined) return unmapped(option, name);
    return { column, type: typeOf(column, `${option}.${name}`) };
  };
}

export function isList({ type }: Field<unknown>): boolean {
  return type.endsWith('[]');
}

/** The type of a column's values, or of the elements of its lists. */
export function elementType({ type }: Field<unknown>): ScalarType {
  return (isList({ column: undefined, type }) ? type.slice(0, -2) : type) as ScalarType;
}

/**
 * A column whose type nobody named, and which the policy compares with a number, a boolean or a list, hardly holds
 * texts. Taken for one, it would differ from all of them, and what a rule denies would be found.
 *
 * @throws `CONFIG_INVALID`
 */
export function refuseAssumedType(...sides: readonly object[]): void {
  for (const side of sides) {
    if ('assumedAt' in side && typeof side.assumedAt === 'string')
      throw configInvalid(side.assumedAt, 'is compared with what is no text: name its type, { column, type }');
  }
}

/** The error of a filter that a backend could only say nearly. */
export function inexact(field: string, problem: string): DoorwardError {
  return new DoorwardError('AUTHZ_FILTER_INEXACT', { field, problem });
}

export function nameOf(path: string): string {
  return path.slice('resource.'.length);
}

function unmapped(option: string, name: string): never {
  throw configInvalid(`${option}.${name}`, 'is missing, and the policy reads it');
}
