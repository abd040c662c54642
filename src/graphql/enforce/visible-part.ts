import type { GraphQLSchema, GraphQLTypeResolver } from 'graphql';
import type { Rule } from '../rules/rule.ts';

/** What a visible schema is made of. */
export interface VisiblePart {
  /** The protected schema that it is a part of. */
  readonly whole: GraphQLSchema;
  /** The type resolvers that are not those of the whole, by the name of their interface or union. */
  readonly typeResolvers: ReadonlyMap<string, GraphQLTypeResolver<unknown, unknown>>;
}

const PART: unique symbol = Symbol.for('doorward.graphql.part');

export function visiblePart(schema: GraphQLSchema): VisiblePart | undefined {
  return Reflect.get(schema.extensions, PART);
}

/** Extensions of a schema that is a part of another; without a prototype, which is how graphql keeps symbol keys. */
export function withVisiblePart(extensions: object, part: VisiblePart): Record<string, unknown> {
  return Object.assign(Object.create(null), extensions, { [PART]: part });
}

/** The schemas that were made for callers of one kind each. */
export interface VisibleSchemas {
  /** The conditions whose outcomes make the kind of a caller. */
  readonly leaves: readonly Rule[];
  /** By the outcomes, the last used last. */
  readonly schemas: Map<string, GraphQLSchema>;
}
