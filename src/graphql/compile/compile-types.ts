import {
  type GraphQLInterfaceType,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  isEnumType,
  isInterfaceType,
  isObjectType,
} from 'graphql';
import { configError } from '../rules/config-error.ts';
import type { Directable, RuleReader } from '../rules/read-rules.ts';
import { onePerPrincipal, type Rule, type RuleTable } from '../rules/rule.ts';
import type { Application } from '../rules/rule-arguments.ts';
import { withInterfaces } from './inheritance.ts';

export interface TypeReader {
  /** The rules on a type, with those of its interfaces. */
  of(type: GraphQLNamedType): readonly Application[];
  /** As much of them as is asked on the way to the type: where it has fields, the rest is asked on those. */
  entering(type: GraphQLNamedType): readonly Application[];
}

/** Makes the functions that read the rules on types, each type once. */
export function createTypeReader(read: RuleReader, rules: RuleTable): TypeReader {
  const known = new Map<GraphQLNamedType, readonly Application[]>();
  const knownOnTheWay = new Map<GraphQLNamedType, readonly Application[]>();

  function applicationsOn(type: GraphQLNamedType): readonly Application[] {
    const { applications } = read(type, type.name);
    for (const { from, onDeny, node } of applications) {
      if (from !== undefined) throw configError(type.name, 'has a rule with from, which is for fields', node);
      if (onDeny !== undefined && onDeny !== 'ERROR') {
        throw configError(type.name, 'can deny with an error only; other ways are for fields', node);
      }
    }
    return applications;
  }

  function of(type: GraphQLNamedType): readonly Application[] {
    const found = known.get(type);
    if (found !== undefined) return found;
    const types = hasFields(type) ? withInterfaces(type) : [type];
    const applications = types.flatMap(applicationsOn);
    known.set(type, applications);
    return applications;
  }

  function entering(type: GraphQLNamedType): readonly Application[] {
    const found = knownOnTheWay.get(type);
    if (found !== undefined) return found;
    const all = of(type);
    const applications = hasFields(type) ? all.map(ofPrincipal) : all;
    knownOnTheWay.set(type, applications);
    return applications;
  }

  function ofPrincipal(application: Application): Application {
    return { ...application, rule: rules.all(onePerPrincipal(application.rule)) };
  }

  return { of, entering };
}

function hasFields(type: GraphQLNamedType): type is GraphQLObjectType | GraphQLInterfaceType {
  return isObjectType(type) || isInterfaceType(type);
}

/** The login that several applications ask for together. */
export function stepUpOf(applications: readonly Application[], coordinate: string, rules: RuleTable): Rule | undefined {
  const demands = applications.flatMap(({ stepUp }) => stepUp ?? []);
  if (demands.length === 0) return undefined;
  return rules.stepUp(demands) ?? excludeEachOther(coordinate, applications);
}

function excludeEachOther(coordinate: string, applications: readonly Application[]): never {
  const node = applications.find(({ stepUp }) => stepUp?.acrValues !== undefined)?.node;
  throw configError(coordinate, 'has rules with acr of which no login can meet both', node);
}

/** Refuses rules in places where nothing enforces them. */
export function refuseStrayRules(schema: GraphQLSchema, read: RuleReader): void {
  const refuse = (place: Directable, coordinate: string): void => {
    const { applications, isPublic, publicNode } = read(place, coordinate);
    if (applications.length === 0 && !isPublic) return;
    throw configError(
      coordinate,
      'has a rule in a place where nothing enforces it',
      applications[0]?.node ?? publicNode,
    );
  };
  refuse(schema, 'schema');
  for (const directive of schema.getDirectives()) {
    for (const arg of directive.args) refuse(arg, `@${directive.name}(${arg.name}:)`);
  }
  for (const type of Object.values(schema.getTypeMap())) {
    if (isEnumType(type)) {
      for (const value of type.getValues()) refuse(value, `${type.name}.${value.name}`);
    }
    if (!isInterfaceType(type)) continue;
    for (const field of Object.values(type.getFields())) {
      const coordinate = `${type.name}.${field.name}`;
      const { isPublic, publicNode } = read(field, coordinate);
      if (isPublic) {
        throw configError(coordinate, 'is @public, which has no effect on an interface', publicNode);
      }
      for (const arg of field.args) read(arg, `${coordinate}(${arg.name}:)`);
    }
  }
}
