import { configInvalid, refuseUnknownOptions, requireWholeNumber } from '../../core/config-invalid.ts';
import type { Scalar } from '../policy/policy.ts';
import { type ColumnOption, fieldsIn, inexact } from './columns.ts';
import { criteriaOf } from './criteria.ts';
import type { Filter } from './filter.ts';
import { isColumn, type Piece, sqlOf } from './sql.ts';

export interface PostgresFilterOptions {
  /**
   * The column of every attribute that the policy reads, by its name without `resource.`: `{ id: 'id' }`, or with
   * its type, which is `text` unless another is named: `{ level: { column: 'level', type: 'integer' } }`.
   */
  readonly columns: Readonly<Record<string, ColumnOption>>;
  /** The table, or its alias in the statement, that columns are named with. */
  readonly table?: string;
  /** Number of the first parameter: 3 when the statement has `$1` and `$2` already. @default 1 */
  readonly firstParameter?: number;
}

/** A condition to put after `WHERE`, and what its parameters stand for. */
export interface SqlCondition {
  readonly text: string;
  readonly values: readonly (Scalar | readonly Scalar[])[];
}

const MAX_PARAMETERS = 65_535;
/** PostgreSQL cuts longer names off, and might then find another column. */
const LONGEST_NAME = 63;

/**
 * Turns a filter into a condition for PostgreSQL. Every value is a parameter, and every name is quoted.
 *
 * @throws `CONFIG_INVALID` when a column is missing or cannot be meant.
 * @throws `AUTHZ_FILTER_INEXACT` for what PostgreSQL cannot answer as `decide` would.
 * @example
 * const { text, values } = toPostgres(filter, { columns: { owner_id: 'owner_id' } });
 * const posts = await db.query(`SELECT * FROM posts WHERE ${text}`, [...values]);
 */
export function toPostgres(filter: Filter, options: PostgresFilterOptions): SqlCondition {
  refuseUnknownOptions(options, ['columns', 'table', 'firstParameter']);
  const { columns, table, firstParameter = 1 } = options;
  requireWholeNumber('firstParameter', firstParameter, 1, MAX_PARAMETERS);
  const prefix = table === undefined ? '' : `${quoted('table', table)}.`;
  const values: (Scalar | readonly Scalar[])[] = [];
  const written = (piece: Piece<string>): string => {
    if (typeof piece === 'string') return piece;
    if (isColumn(piece)) return prefix + quoted('columns', piece.column);
    values.push(piece.value);
    const number = firstParameter + values.length - 1;
    if (number > MAX_PARAMETERS) throw inexact('values', `need parameters beyond $${MAX_PARAMETERS}`);
    return `$${number}`;
  };
  const text = sqlOf(criteriaOf(filter, fieldsIn('columns', columns)))
    .map(written)
    .join('');
  return { text, values };
}

function quoted(option: string, name: string): string {
  if (name === '' || /[\0\p{Surrogate}]/u.test(name) || Buffer.byteLength(name) > LONGEST_NAME)
    throw configInvalid(option, `has a name that is empty, malformed or longer than ${LONGEST_NAME} bytes`);
  return `"${name.replaceAll('"', '""')}"`;
}
