import { type GraphQLSchema, isAbstractType, isObjectType } from 'graphql';
import { configInvalid } from '../core/config-invalid.ts';
import { compile } from './compile.ts';
import { describePlan } from './plan.ts';
import { abstractProtection, fieldProtection, schemaProtection } from './protection.ts';

/**
 * Checks the schema that is about to be served: that {@link protectSchema} was applied to it, and that nothing
 * done to it since (a merge, an extension, replaced resolvers) left a field with less than its rules ask.
 *
 * @throws `CONFIG_INVALID` naming the first field that lost its guard or never had one.
 * @example
 * assertProtected(schema);
 */
export function assertProtected(schema: GraphQLSchema): void {
  const protection = schemaProtection(schema);
  if (protection === undefined) throw configInvalid('schema', 'is not protected');
  const plan = compile(schema, protection);

  for (const [coordinate, field] of plan.fields) {
    const [typeName = '', fieldName = ''] = coordinate.split('.');
    const type = schema.getType(typeName);
    const actual = isObjectType(type) ? type.getFields()[fieldName] : undefined;
    const guard = actual && fieldProtection(actual);
    if (actual === undefined || guard === undefined) throw configInvalid(coordinate, 'has rules and no guard');
    if (actual.resolve !== guard.resolve || actual.subscribe !== guard.subscribe) {
      throw configInvalid(coordinate, 'lost its guard: its resolver was replaced after protectSchema');
    }
    if (describePlan(guard.plan) !== describePlan(field)) {
      throw configInvalid(coordinate, 'has other rules than when it was protected');
    }
  }
  for (const name of plan.abstracts) {
    const type = schema.getType(name);
    if (!isAbstractType(type) || abstractProtection(type)?.resolveType !== type.resolveType) {
      throw configInvalid(name, 'lost its guard: its resolveType was replaced after protectSchema');
    }
  }
}
