import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputObjectType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isScalarType,
} from 'graphql';
import { stepUpOf } from './compile-types.ts';
import { configError } from './config-error.ts';
import type { Declaration } from './inheritance.ts';
import type { InputRules, InputTypeRules } from './plan.ts';
import type { Directable, RuleReader } from './read-rules.ts';
import type { Rule, RuleTable } from './rule.ts';

export interface InputCompiler {
  readonly types: ReadonlyMap<string, InputTypeRules>;
  /** The rules on the arguments of a field, those of the interfaces' same field included. */
  argumentsOf(field: GraphQLField<unknown, unknown>, declarations: readonly Declaration[]): readonly InputRules[];
}

/** Works out which arguments and input fields have rules, or lead to an input field that has. */
export function compileInput(schema: GraphQLSchema, read: RuleReader, rules: RuleTable): InputCompiler {
  const inputTypes = Object.values(schema.getTypeMap()).filter(isInputObjectType);
  const typeRules = new Map(inputTypes.map((type) => [type, rulesOf(type, type.name)]));
  const fieldRules = new Map(inputTypes.map((type) => [type, fieldsOf(type)]));
  const concerned = closure();

  const types = new Map<string, InputTypeRules>();
  for (const type of concerned) {
    const fields = (fieldRules.get(type) ?? []).filter(matters);
    types.set(type.name, { rules: typeRules.get(type) ?? [], fields });
  }

  return {
    types,
    argumentsOf: (field, declarations) =>
      field.args
        .map((arg) => {
          const rules = declarations.flatMap(({ coordinate, field: declared }) => {
            const same = declared.args.find(({ name }) => name === arg.name);
            return same === undefined ? [] : valueRules(same, `${coordinate}(${arg.name}:)`);
          });
          const coordinate = `${declarations[0]?.coordinate}(${arg.name}:)`;
          return { name: arg.name, coordinate, rules: [...new Set(rules)], type: getNamedType(arg.type) };
        })
        .filter(matters),
  };

  function matters({ rules, type }: InputRules): boolean {
    return rules.length > 0 || (isInputObjectType(type) && concerned.has(type));
  }

  function fieldsOf(type: GraphQLInputObjectType): readonly InputRules[] {
    return Object.values(type.getFields()).map((field) => {
      const coordinate = `${type.name}.${field.name}`;
      return { name: field.name, coordinate, rules: valueRules(field, coordinate), type: getNamedType(field.type) };
    });
  }

  /** The rules of the place and of the scalar or enum that goes into it. */
  function valueRules(place: Directable & Pick<GraphQLArgument, 'type'>, coordinate: string): readonly Rule[] {
    const type = getNamedType(place.type);
    const ofType = isScalarType(type) || isEnumType(type) ? rulesOf(type, type.name) : [];
    return [...new Set([...rulesOf(place, coordinate), ...ofType])];
  }

  function rulesOf(place: Directable, coordinate: string): readonly Rule[] {
    const { applications } = read(place, coordinate);
    for (const { from, onDeny, node } of applications) {
      if (from !== undefined) throw configError(coordinate, 'has a rule with from, which is for fields', node);
      if (onDeny !== undefined && onDeny !== 'ERROR') {
        throw configError(coordinate, 'can deny with an error only', node);
      }
    }
    const login = stepUpOf(applications, coordinate, rules);
    return [...applications.map(({ rule }) => rule), ...(login === undefined ? [] : [login])];
  }

  /** The input types with a rule, and those that contain them at any depth. */
  function closure(): ReadonlySet<GraphQLInputObjectType> {
    const found = new Set<GraphQLInputObjectType>();
    for (let before = -1; before < found.size; ) {
      before = found.size;
      for (const [type, fields] of fieldRules) {
        const leads = fields.some((field) => isInputObjectType(field.type) && found.has(field.type));
        const has = fields.some(({ rules }) => rules.length > 0) || (typeRules.get(type) ?? []).length > 0;
        if (leads || has) found.add(type);
      }
    }
    return found;
  }
}
