import { isObjectType, printSchema } from 'graphql';
import { measureCost } from '../../cost.mjs';
import { digest } from '../../digest.mjs';
import { onlyCopyOf } from '../../only-copy-of.mjs';

const fieldsOf = (schema) =>
  Object.values(schema.getTypeMap())
    .filter((type) => isObjectType(type) && !type.name.startsWith('__'))
    .flatMap((type) => Object.values(type.getFields()).map((field) => [`${type.name}.${field.name}`, field]));

/**
 * The same schema comes out, the one that went in stays as it was unless a contestant works in place, and exactly
 * the same fields have a guard.
 * @returns {Promise<Record<string, string>>}
 */
export async function answers({ schema, transform, unguarded, changesItsSchema }) {
  const before = printSchema(schema);
  const transformed = transform();
  const guarded = fieldsOf(transformed).flatMap(([coordinate, { resolve }]) =>
    resolve === undefined ? [] : coordinate,
  );
  const isChanged = fieldsOf(schema).some(([, { resolve }]) => resolve !== undefined);
  if (isChanged && !changesItsSchema) throw new Error('the schema given was changed');
  const seen = { before: digest(before), after: digest(printSchema(transformed)), graphql: onlyCopyOf('graphql') };
  return unguarded ? seen : { ...seen, guarded: digest(guarded), count: String(guarded.length) };
}

export function measure({ transform }, timing) {
  return measureCost(transform, timing);
}
