import { MapperKind, mapSchema } from '@graphql-tools/utils';
import { defaultFieldResolver } from 'graphql';
import { plainSchema } from './schema.mjs';

/** The directive transformer that people write by hand, around the resolvers of guarded fields. */
export function withWrapper(guarded, wrap) {
  return {
    schema: mapSchema(plainSchema(), {
      [MapperKind.OBJECT_FIELD](field, fieldName, typeName) {
        if (!guarded.includes(`${typeName}.${fieldName}`)) return undefined;
        return { ...field, resolve: wrap(field.resolve ?? defaultFieldResolver) };
      },
    }),
    contextFor: (principal) => ({ principal }),
  };
}
