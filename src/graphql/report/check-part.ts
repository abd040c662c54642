import { type GraphQLNamedType, type GraphQLSchema, isAbstractType, isObjectType } from 'graphql';
import { configInvalid } from '../../core/config-invalid.ts';
import type { VisiblePart } from '../enforce/visible-part.ts';
import { EMPTY_FIELD } from '../visibility/empty-query.ts';

/**
 * Checks a visible schema against the protected one that it is a part of: both must resolve everything with the
 * same functions. Its rules cannot be read again, since the places of some of them are hidden.
 *
 * @throws `CONFIG_INVALID` naming the first place that is not as it was.
 */
export function checkPart(schema: GraphQLSchema, part: VisiblePart): void {
  for (const type of Object.values(schema.getTypeMap())) {
    if (type.name.startsWith('__')) continue;
    for (const name of differences(type, schema, part)) {
      throw configInvalid(name, 'lost its guard: it was replaced in a visible schema');
    }
  }
}

function differences(
  type: GraphQLNamedType,
  schema: GraphQLSchema,
  { whole, typeResolvers }: VisiblePart,
): readonly string[] {
  const original = whole.getType(type.name);
  if (isAbstractType(type)) {
    const expected = typeResolvers.get(type.name) ?? (isAbstractType(original) ? original.resolveType : undefined);
    return type.resolveType === expected ? [] : [type.name];
  }
  if (!isObjectType(type)) return [];
  const fields = isObjectType(original) ? original.getFields() : {};
  return Object.values(type.getFields()).flatMap(({ name, resolve, subscribe }) => {
    const same = fields[name];
    const isSame = same !== undefined && same.resolve === resolve && same.subscribe === subscribe;
    const isPlaceholder = same === undefined && name === EMPTY_FIELD && type === schema.getQueryType();
    return isSame || isPlaceholder ? [] : [`${type.name}.${name}`];
  });
}
