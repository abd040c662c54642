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

/** The field of the type itself, then the same-named fields of its interfaces. */
export function declarationsOf(type: Composite, name: string): readonly Declaration[] {
  return withInterfaces(type).flatMap((each) => {
    const field = each.getFields()[name];
    return field === undefined ? [] : [{ coordinate: `${each.name}.${name}`, field }];
  });
}
