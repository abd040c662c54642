import {
  type GraphQLInputField,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  type ValueNode,
  valueFromASTUntyped,
} from 'graphql';

interface Place {
  readonly type: GraphQLInputType;
}

/** The input fields that a default value holds: without them it would be no value of its type any more. */
export function givenByDefault(schema: GraphQLSchema): ReadonlySet<GraphQLInputField> {
  const found = new Set<GraphQLInputField>();
  const visit = (place: Place): void => given(place.type, defaultOf(place));
  for (const directive of schema.getDirectives()) directive.args.forEach(visit);
  for (const type of Object.values(schema.getTypeMap())) {
    if (isInputObjectType(type)) Object.values(type.getFields()).forEach(visit);
    if (!isObjectType(type) && !isInterfaceType(type)) continue;
    for (const { args } of Object.values(type.getFields())) args.forEach(visit);
  }
  return found;

  function given(type: GraphQLInputType, value: unknown): void {
    const named = getNamedType(type);
    if (!isInputObjectType(named) || typeof value !== 'object' || value === null) return;
    if (Array.isArray(value)) {
      for (const item of value) given(type, item);
      return;
    }
    for (const field of Object.values(named.getFields())) {
      if (!Object.hasOwn(value, field.name)) continue;
      found.add(field);
      given(field.type, Reflect.get(value, field.name));
    }
  }
}

/** graphql 16 keeps a default in `defaultValue`, graphql 17 in `default`, as it was written or as a value. */
function defaultOf(place: Place): unknown {
  const { value, literal }: { readonly value?: unknown; readonly literal?: ValueNode } =
    Reflect.get(place, 'default') ?? {};
  if (literal !== undefined) return valueFromASTUntyped(literal);
  return value ?? Reflect.get(place, 'defaultValue');
}
