import {
  type GraphQLNamedType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  isSpecifiedScalarType,
} from 'graphql';
import { configInvalid, isPlainObject } from '../../core/config-invalid.ts';
import type { RuleMap } from '../rule-map.ts';
import type { RuleTable } from './rule.ts';
import { type Annotations, type Application, type KnownNames, readArguments } from './rule-arguments.ts';

type Refuse = (problem: string) => never;

/** Reads the map of rules: of every coordinate in it what an annotation in SDL would be. */
export function readRuleMap(
  schema: GraphQLSchema,
  map: RuleMap,
  rules: RuleTable,
  known: KnownNames,
): ReadonlyMap<string, Annotations> {
  if (!isPlainObject(map)) throw configInvalid('rules', 'must be a plain object');
  return new Map(Object.entries(map).map(([coordinate, entry]) => [coordinate, read(coordinate, entry)]));

  function read(coordinate: string, entry: unknown): Annotations {
    const refuse: Refuse = (problem) => {
      throw configInvalid(`rules.${coordinate}`, problem);
    };
    const mayBePublic = requirePlace(schema, coordinate, refuse);
    if (entry === 'public') {
      return mayBePublic ? { applications: [], isPublic: true } : refuse('cannot be public, which is for object types');
    }
    const list: readonly unknown[] = Array.isArray(entry) ? entry : [entry];
    if (list.length === 0) refuse('must not be empty');
    return { applications: list.map((values) => application(coordinate, values, refuse)), isPublic: false };
  }

  function application(coordinate: string, values: unknown, refuse: Refuse): Application {
    if (!isPlainObject(values)) return refuse("must be the arguments of a rule, a list of such, or 'public'");
    const read = readArguments(Object.fromEntries(Object.entries(values)), undefined, rules, known, refuse);
    return { ...read, coordinate, node: undefined };
  }
}

/** Refuses what is no place of the schema, or none where a rule is enforced; tells whether it may be public. */
function requirePlace(schema: GraphQLSchema, coordinate: string, refuse: Refuse): boolean {
  const [, typeName = '', memberName, argumentName] = /^(\w+)(?:\.(\w+)(?:\((\w+):\))?)?$/.exec(coordinate) ?? [];
  const type = schema.getType(typeName);
  if (/\(\w+\)$/.test(coordinate)) return refuse('is no coordinate: an argument is written Type.field(argument:)');
  if (type === undefined || type === null) return refuse('is no coordinate of the schema');
  if (isIntrospectionType(type) || isSpecifiedScalarType(type)) refuse('is a type of GraphQL itself');
  if (memberName === undefined) return isObjectType(type);
  if (isEnumType(type)) refuse('is in an enum, of which only the whole can have a rule');
  const field = fieldsOf(type).find(({ name }) => name === memberName);
  const found = argumentName === undefined ? field : field?.args?.find(({ name }) => name === argumentName);
  if (found === undefined) refuse('is no coordinate of the schema');
  return isObjectType(type) && argumentName === undefined;
}

interface Field {
  readonly name: string;
  readonly args?: readonly { readonly name: string }[];
}

function fieldsOf(type: GraphQLNamedType): readonly Field[] {
  const hasFields = isObjectType(type) || isInterfaceType(type) || isInputObjectType(type);
  return hasFields ? Object.values<Field>(type.getFields()) : [];
}
