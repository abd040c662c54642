import { GraphQLBoolean, type GraphQLFieldConfig } from 'graphql';

/** The one field of a Query type of which nothing is visible: a schema must have a Query, and a type a field. */
export const EMPTY_FIELD = '_empty';

export function emptyField(): GraphQLFieldConfig<unknown, unknown> {
  return { type: GraphQLBoolean, description: 'Nothing of this API is visible to you.', resolve: () => null };
}
