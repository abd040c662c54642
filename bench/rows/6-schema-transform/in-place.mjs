import { getDirective } from '@graphql-tools/utils';
import { defaultFieldResolver, isObjectType } from 'graphql';
import { largeSchema } from './schema.mjs';

/** Sets the resolvers of the schema given, which is the least that can be done. No field of it has one of its own. */
export function prepare(input) {
  const schema = largeSchema(input);
  function transform() {
    for (const type of Object.values(schema.getTypeMap())) {
      if (!isObjectType(type) || type.name.startsWith('__')) continue;
      for (const field of Object.values(type.getFields())) {
        const [rule] = getDirective(schema, field, 'auth') ?? [];
        if (rule === undefined) continue;
        field.resolve = (source, args, context, info) => {
          const { principal } = context.auth;
          if (!rule.roles.some((role) => principal?.roles.includes(role))) throw new Error('Forbidden');
          return defaultFieldResolver(source, args, context, info);
        };
      }
    }
    return schema;
  }
  return { schema, transform, changesItsSchema: true };
}
