import {
  type GraphQLFieldConfig,
  GraphQLInterfaceType,
  GraphQLList,
  type GraphQLNamedType,
  GraphQLNonNull,
  GraphQLObjectType,
  type GraphQLOutputType,
  GraphQLSchema,
  GraphQLUnionType,
  isInterfaceType,
  isIntrospectionType,
  isListType,
  isNonNullType,
  isObjectType,
  isUnionType,
} from 'graphql';
import type { TypeResolver } from './guard-abstract.ts';

type FieldConfig = GraphQLFieldConfig<unknown, unknown>;

/** What becomes of the places where guards stand; what is given back as it came stays as it is. */
export interface Guarding {
  field(config: FieldConfig, coordinate: string, typeName: string): FieldConfig;
  abstractType<Config extends AbstractConfig>(config: Config): Config;
}

/** What interfaces and unions have in common. */
export interface AbstractConfig {
  readonly name: string;
  readonly resolveType?: TypeResolver | null | undefined;
  readonly extensions?: object | null | undefined;
}

/**
 * Makes a schema with guards in it, in one pass, and leaves the one given as it was. Object types, interfaces and
 * unions refer to each other, so they are made anew; input types, enums, scalars and directives refer to none of
 * them, and both schemas share them.
 */
export function rebuildSchema(schema: GraphQLSchema, guarding: Guarding): GraphQLSchema {
  const types = new Map<string, GraphQLNamedType>();
  for (const type of Object.values(schema.getTypeMap())) types.set(type.name, rebuilt(type));

  const config = schema.toConfig();
  return new GraphQLSchema({
    ...config,
    query: config.query && again(config.query),
    mutation: config.mutation && again(config.mutation),
    subscription: config.subscription && again(config.subscription),
    types: [...types.values()],
  });

  function rebuilt(type: GraphQLNamedType): GraphQLNamedType {
    if (isIntrospectionType(type)) return type;
    if (isObjectType(type)) {
      const config = type.toConfig();
      const fields = (): Record<string, FieldConfig> =>
        fieldsOf(config.fields, (field, name) => guarding.field(field, `${type.name}.${name}`, type.name));
      const interfaces = (): GraphQLInterfaceType[] => config.interfaces.map(again);
      return withForeignProperties(type, new GraphQLObjectType({ ...config, interfaces, fields }));
    }
    if (isInterfaceType(type)) {
      const config = guarding.abstractType(type.toConfig());
      const fields = (): Record<string, FieldConfig> => fieldsOf(config.fields, (field) => field);
      const interfaces = (): GraphQLInterfaceType[] => config.interfaces.map(again);
      return withForeignProperties(type, new GraphQLInterfaceType({ ...config, interfaces, fields }));
    }
    if (isUnionType(type)) {
      const config = guarding.abstractType(type.toConfig());
      return withForeignProperties(type, new GraphQLUnionType({ ...config, types: () => config.types.map(again) }));
    }
    return type;
  }

  /** @param configs - made anew for the type, so that they may be changed */
  function fieldsOf(
    configs: Record<string, FieldConfig>,
    guarded: (config: FieldConfig, name: string) => FieldConfig,
  ): Record<string, FieldConfig> {
    for (const [name, config] of Object.entries(configs)) {
      config.type = outputType(config.type);
      configs[name] = guarded(config, name);
    }
    return configs;
  }

  function outputType(type: GraphQLOutputType): GraphQLOutputType {
    if (isNonNullType(type)) {
      const nullable = outputType(type.ofType);
      return nullable === type.ofType ? type : new GraphQLNonNull(nullable);
    }
    if (isListType(type)) {
      const item = outputType(type.ofType);
      return item === type.ofType ? type : new GraphQLList(item);
    }
    return again(type);
  }

  function again<Type extends GraphQLNamedType>(type: Type): Type {
    return (types.get(type.name) ?? type) as Type;
  }
}

/** What graphql does not know of: older subgraph libraries keep `resolveReference` on the type itself. */
export function withForeignProperties<Type extends GraphQLNamedType>(from: Type, to: Type): Type {
  for (const key of Reflect.ownKeys(from)) {
    if (key in to) continue;
    const descriptor = Reflect.getOwnPropertyDescriptor(from, key);
    if (descriptor !== undefined) Object.defineProperty(to, key, descriptor);
  }
  return to;
}
