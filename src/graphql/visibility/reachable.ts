import {
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  isSpecifiedDirective,
  isUnionType,
} from 'graphql';
import type { Hidden } from './parts.ts';

/** The names of the types that a visible schema needs: all that its roots lead to. */
export function reachable(schema: GraphQLSchema, hidden: Hidden): ReadonlySet<string> {
  const { dead } = hidden;
  const found = new Set<string>();
  const open: GraphQLNamedType[] = [];
  const reach = (type: GraphQLNamedType | null | undefined): void => {
    if (!type || found.has(type.name)) return;
    found.add(type.name);
    open.push(type);
  };
  const isAlive = ({ name }: GraphQLNamedType): boolean => !dead.has(name);

  for (const root of [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()]) {
    if (root && isAlive(root)) reach(root);
  }
  for (const directive of schema.getDirectives()) {
    if (isSpecifiedDirective(directive)) continue;
    const types = directive.args.map(({ type }) => getNamedType(type));
    if (types.every(isAlive)) types.forEach(reach);
  }
  for (let type = open.pop(); type !== undefined; type = open.pop()) {
    if (isObjectType(type) || isInterfaceType(type)) {
      type.getInterfaces().filter(isAlive).forEach(reach);
      for (const field of Object.values(type.getFields())) {
        if (!hidden.hasField(type, field)) continue;
        reach(getNamedType(field.type));
        for (const arg of field.args) if (hidden.hasArgument(type, field, arg)) reach(getNamedType(arg.type));
      }
    }
    if (isInterfaceType(type) || isUnionType(type)) schema.getPossibleTypes(type).filter(isAlive).forEach(reach);
    if (isInputObjectType(type)) {
      for (const field of Object.values(type.getFields())) {
        if (hidden.hasInputField(type, field)) reach(getNamedType(field.type));
      }
    }
  }
  return found;
}
