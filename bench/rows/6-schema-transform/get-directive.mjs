import { getDirective, MapperKind, mapSchema } from '@graphql-tools/utils';
import { defaultFieldResolver } from 'graphql';
import { largeSchema } from './schema.mjs';

/** The transformer of the graphql-tools documentation: the rule of the field itself, and nothing inherited. */
export function prepare(input) {
  const schema = largeSchema(input);
  const transform = () =>
    mapSchema(schema, {
      [MapperKind.OBJECT_FIELD](field) {
        const [rule] = getDirective(schema, field, 'auth') ?? [];
        if (rule === undefined) return undefined;
        const { resolve = defaultFieldResolver } = field;
        return {
          ...field,
          resolve(source, args, context, info) {
            const { principal } = context.auth;
            if (!rule.roles.some((role) => principal?.roles.includes(role))) throw new Error('Forbidden');
            return resolve(source, args, context, info);
          },
        };
      },
    });
  return { schema, transform };
}
