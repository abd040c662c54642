import { MapperKind, mapSchema } from '@graphql-tools/utils';
import { defaultFieldResolver } from 'graphql';
import { plainSchema } from './authors.mjs';
import { checks } from './checks.mjs';

export function prepare({ guarded, rule }) {
  const schema = mapSchema(plainSchema(), {
    [MapperKind.OBJECT_FIELD](field, fieldName, typeName) {
      if (!guarded.includes(`${typeName}.${fieldName}`)) return undefined;
      const { resolve = defaultFieldResolver } = field;
      return {
        ...field,
        resolve: async (source, args, context, info) => {
          if (!(await checks[rule](context.principal, source))) throw new Error('Forbidden');
          return resolve(source, args, context, info);
        },
      };
    },
  });
  return { schema, contextFor: (principal) => ({ principal }) };
}
