import type { GraphQLField, GraphQLInterfaceType, GraphQLObjectType } from 'graphql';

type Composite = GraphQLObjectType | GraphQLInterfaceType;

/** A field as an object type or an interface declares it. */
export interface Declaration {
  readonly coordinate: string;
  readonly field: GraphQLField<unknown, unknown>;
}

/** The type and every interface it implements, at any distance. */
export function withInterfaces(type: Composite): readonly Composite[] {
  const found = new Set<Composite>([type]);
  for (const each of found) {
    for (const parent of each.getInterfaces()) found.add(parent);
  }
  return [...found];
}

/**
 * The field of the type itself, then the same-named fields of its interfaces.
 *
 * @param lineage - the type {@link withInterfaces}
 */
export function declarationsOf(lineage: readonly Composite[], name: string): readonly Declaration[] {
  const declarations: Declaration[] = [];
  for (const type of lineage) {
    const fields = type.getFields();
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (field !== undefined) declarations.push({ coordinate: `${type.name}.${name}`, field });
  }
  return declarations;
}
