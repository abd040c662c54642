import { configInvalid } from '../../core/config-invalid.ts';
import { ownProperty } from '../../core/own-property.ts';
import { type ColumnType, ownFieldsIn, type ScalarType } from './columns.ts';
import { criteriaOf } from './criteria.ts';
import type { Filter } from './filter.ts';
import { isColumn, sqlOf } from './sql.ts';

/** The part of `drizzle-orm` that is used: pass `import * as drizzle from 'drizzle-orm'`. */
export interface DrizzleModule<Sql> {
  readonly sql: {
    readonly raw: (text: string) => unknown;
    readonly param: (value: never) => unknown;
    readonly join: (chunks: never[]) => Sql;
  };
}

/** Columns whose values are exactly what JavaScript reads from them; `real`, for one, is not among them. */
const TYPES: ReadonlyMap<unknown, ScalarType> = new Map([
  ['PgText', 'text'],
  ['PgVarchar', 'text'],
  ['PgUUID', 'uuid'],
  ['PgSmallInt', 'integer'],
  ['PgInteger', 'integer'],
  ['PgBigInt53', 'integer'],
  ['PgSmallSerial', 'integer'],
  ['PgSerial', 'integer'],
  ['PgBigSerial53', 'integer'],
  ['PgDoublePrecision', 'number'],
  ['PgBoolean', 'boolean'],
]);

/**
 * Turns a filter into a Drizzle condition over the columns of a PostgreSQL table.
 *
 * @param columns - the column of every attribute that the policy reads: `{ id: posts.id, owner_id: posts.ownerId }`
 * @throws `CONFIG_INVALID` when a column is missing, or of a type that is not compared as JavaScript would.
 * @throws `AUTHZ_FILTER_INEXACT` for what PostgreSQL cannot answer as `decide` would.
 * @example
 * const condition = toDrizzle(filter, { owner_id: posts.ownerId }, drizzle);
 * const visible = await db.select().from(posts).where(condition);
 */
export function toDrizzle<Sql>(
  filter: Filter,
  columns: Readonly<Record<string, object>>,
  drizzle: DrizzleModule<Sql>,
): Sql {
  const { raw, param, join } = drizzle.sql;
  const pieces = sqlOf(criteriaOf(filter, ownFieldsIn('columns', columns, typeOf)));
  const chunks = pieces.map((piece) => {
    if (typeof piece === 'string') return raw(piece);
    return isColumn(piece) ? piece.column : param(piece.value as never);
  });
  return join(chunks as never[]);
}

function typeOf(column: object, at: string): ColumnType {
  const element = ownProperty(column, 'baseColumn') ?? column;
  const type = TYPES.get(ownProperty(element, 'columnType'));
  if (type === undefined) throw configInvalid(at, 'is no column of PostgreSQL that filters can compare');
  if (element === column) return type;
  // `@>` knows no varchar[] beside a text[].
  if (ownProperty(element, 'columnType') === 'PgVarchar') throw configInvalid(at, 'must be a text[] to be a list');
  return `${type}[]`;
}
