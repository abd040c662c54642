import {
  type GraphQLAbstractType,
  GraphQLDirective,
  type GraphQLFieldConfig,
  type GraphQLInputFieldConfig,
  GraphQLInputObjectType,
  type GraphQLInputType,
  GraphQLInterfaceType,
  GraphQLList,
  type GraphQLNamedType,
  GraphQLNonNull,
  GraphQLObjectType,
  type GraphQLOutputType,
  GraphQLSchema,
  GraphQLUnionType,
  getNamedType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isListType,
  isNonNullType,
  isObjectType,
  isSpecifiedDirective,
  isUnionType,
} from 'graphql';
import type { Enforcer } from '../enforce/enforcer.ts';
import type { TypeResolver } from '../enforce/guard-abstract.ts';
import { withForeignProperties } from '../enforce/rebuild-schema.ts';
import { withVisiblePart } from '../enforce/visible-part.ts';
import { EMPTY_FIELD, emptyField } from './empty-query.ts';
import type { Composite, Visibility } from './parts.ts';
import { pruned } from './pruned-node.ts';
import { refuseHidden } from './refuse-hidden.ts';

/**
 * Makes the schema that has the visible parts of another. What is left resolves with the same functions, so it is
 * guarded as before.
 */
export function buildVisible(whole: GraphQLSchema, enforcer: Enforcer, visibility: Visibility): GraphQLSchema {
  const typeResolvers = new Map<string, TypeResolver>();
  const types = new Map<string, GraphQLNamedType>();
  for (const type of Object.values(whole.getTypeMap())) {
    if (!isIntrospectionType(type) && visibility.hasType(type.name)) types.set(type.name, visible(type));
  }
  const config = whole.toConfig();
  const isWhole = (directive: GraphQLDirective): boolean =>
    isSpecifiedDirective(directive) || directive.args.every(({ type }) => types.has(getNamedType(type).name));
  return new GraphQLSchema({
    ...config,
    query: root(config.query) ?? emptyQuery(config.query),
    mutation: root(config.mutation),
    subscription: root(config.subscription),
    types: [...types.values()],
    directives: config.directives.filter(isWhole).map(directiveAgain),
    extensions: withVisiblePart(whole.extensions, { whole, typeResolvers }),
  });

  function root(type: GraphQLObjectType | null | undefined): GraphQLObjectType | undefined {
    return type && types.has(type.name) ? again(type) : undefined;
  }

  function again<Type extends GraphQLNamedType>(type: Type): Type {
    return (types.get(type.name) ?? type) as Type;
  }

  function directiveAgain(directive: GraphQLDirective): GraphQLDirective {
    if (isSpecifiedDirective(directive)) return directive;
    const config = directive.toConfig();
    const args = Object.entries(config.args).map(
      ([name, arg]) => [name, { ...arg, type: inputType(arg.type) }] as const,
    );
    return new GraphQLDirective({ ...config, args: Object.fromEntries(args) });
  }

  function visible(type: GraphQLNamedType): GraphQLNamedType {
    const isKept = ({ name }: { readonly name: string }): boolean => types.has(name) || visibility.hasType(name);
    if (isObjectType(type)) {
      const config = type.toConfig();
      const interfaces = (): GraphQLInterfaceType[] => config.interfaces.filter(isKept).map(again);
      const made = { ...config, ...nodesOf(type), interfaces, fields: () => fieldsOf(type, config.fields) };
      return withForeignProperties(type, new GraphQLObjectType(made));
    }
    if (isInterfaceType(type)) {
      const config = type.toConfig();
      const interfaces = (): GraphQLInterfaceType[] => config.interfaces.filter(isKept).map(again);
      const fields = (): Record<string, GraphQLFieldConfig<unknown, unknown>> => fieldsOf(type, config.fields);
      const made = { ...config, ...nodesOf(type), interfaces, fields, resolveType: typeResolverOf(type) };
      return withForeignProperties(type, new GraphQLInterfaceType(made));
    }
    if (isUnionType(type)) {
      const config = type.toConfig();
      const members = (): GraphQLObjectType[] => config.types.filter(isKept).map(again);
      const made = { ...config, ...nodesOf(type), types: members, resolveType: typeResolverOf(type) };
      return withForeignProperties(type, new GraphQLUnionType(made));
    }
    if (isInputObjectType(type)) {
      const config = type.toConfig();
      const made = { ...config, ...nodesOf(type), fields: () => inputFieldsOf(type, config.fields) };
      return withForeignProperties(type, new GraphQLInputObjectType(made));
    }
    return type;
  }

  function fieldsOf(
    type: Composite,
    configs: Readonly<Record<string, GraphQLFieldConfig<unknown, unknown>>>,
  ): Record<string, GraphQLFieldConfig<unknown, unknown>> {
    const fields: Record<string, GraphQLFieldConfig<unknown, unknown>> = Object.create(null);
    for (const field of Object.values(type.getFields())) {
      const config = configs[field.name];
      if (config === undefined || !visibility.hasField(type, field)) continue;
      const shown = field.args.filter((arg) => visibility.hasArgument(type, field, arg));
      const args = shown.map((arg) => {
        const argConfig = config.args?.[arg.name];
        return [arg.name, { ...argConfig, type: inputType(arg.type) }] as const;
      });
      const names = new Set(shown.map(({ name }) => name));
      const astNode = pruned(config.astNode, (name) => names.has(name));
      fields[field.name] = { ...config, astNode, type: outputType(config.type), args: Object.fromEntries(args) };
    }
    return fields;
  }

  function inputFieldsOf(
    type: GraphQLInputObjectType,
    configs: Readonly<Record<string, GraphQLInputFieldConfig>>,
  ): Record<string, GraphQLInputFieldConfig> {
    const fields: Record<string, GraphQLInputFieldConfig> = Object.create(null);
    for (const field of Object.values(type.getFields())) {
      if (!visibility.hasInputField(type, field)) continue;
      fields[field.name] = { ...configs[field.name], type: inputType(field.type) };
    }
    return fields;
  }

  /** What is written of a type, without the names that are hidden. */
  function nodesOf(type: GraphQLNamedType): object {
    const isKept = (name: string): boolean => {
      if (isObjectType(type) || isInterfaceType(type)) {
        const field = type.getFields()[name];
        return field === undefined ? visibility.hasType(name) : visibility.hasField(type, field);
      }
      if (!isInputObjectType(type)) return visibility.hasType(name);
      const field = type.getFields()[name];
      return field !== undefined && visibility.hasInputField(type, field);
    };
    const isArgumentKept = (fieldName: string, name: string): boolean => {
      const field = isObjectType(type) || isInterfaceType(type) ? type.getFields()[fieldName] : undefined;
      const arg = field?.args.find((each) => each.name === name);
      return field === undefined || arg === undefined || visibility.hasArgument(type as Composite, field, arg);
    };
    return {
      astNode: pruned(type.astNode, isKept, isArgumentKept),
      extensionASTNodes: type.extensionASTNodes.map((node) => pruned(node, isKept, isArgumentKept)),
    };
  }

  function typeResolverOf(type: GraphQLAbstractType): TypeResolver | null | undefined {
    const isVisible = (name: string): boolean => visibility.hasType(name);
    if (whole.getPossibleTypes(type).every(({ name }) => isVisible(name))) return type.resolveType;
    const resolveType = refuseHidden(whole, enforcer, type, isVisible);
    typeResolvers.set(type.name, resolveType);
    return resolveType;
  }

  function outputType(type: GraphQLOutputType): GraphQLOutputType {
    if (isNonNullType(type)) return new GraphQLNonNull(outputType(type.ofType));
    return isListType(type) ? new GraphQLList(outputType(type.ofType)) : again(type);
  }

  function inputType(type: GraphQLInputType): GraphQLInputType {
    if (isNonNullType(type)) return new GraphQLNonNull(inputType(type.ofType));
    return isListType(type) ? new GraphQLList(inputType(type.ofType)) : again(type);
  }
}

function emptyQuery(query: GraphQLObjectType | null | undefined): GraphQLObjectType {
  return new GraphQLObjectType({ name: query?.name ?? 'Query', fields: { [EMPTY_FIELD]: emptyField() } });
}
