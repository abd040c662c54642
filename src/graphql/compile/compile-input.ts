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
import { configError } from '../rules/config-error.ts';
import type { Directable, RuleReader } from '../rules/read-rules.ts';
import type { RuleTable } from '../rules/rule.ts';
import { stepUpOf } from './compile-types.ts';
import type { Declaration } from './inheritance.ts';
import type { InputRules, InputTypeRules } from './plan.ts';
import { type RuleSource, type RuleVia, ruleSource } from './rule-source.ts';

export interface InputCompiler {
  readonly types: ReadonlyMap<string, InputTypeRules>;
  /** The rules on the arguments of a field, those of the interfaces' same field included. */
  argumentsOf(field: GraphQLField<unknown, unknown>, declarations: readonly Declaration[]): readonly InputRules[];
}

type Found = Pick<InputTypeRules, 'rules' | 'sources'>;

const NO_RULES: Found = { rules: [], sources: [] };
const NO_INPUT: readonly InputRules[] = [];

/** Works out which arguments and input fields have rules, or lead to an input field that has. */
export function compileInput(schema: GraphQLSchema, read: RuleReader, rules: RuleTable): InputCompiler {
  const inputTypes = Object.values(schema.getTypeMap()).filter(isInputObjectType);
  const typeRules = new Map(inputTypes.map((type) => [type, rulesOf(type, type.name, 'INPUT_TYPE')]));
  const fieldRules = new Map(inputTypes.map((type) => [type, fieldsOf(type)]));
  const concerned = closure();

  const types = new Map<string, InputTypeRules>();
  for (const type of concerned) {
    const fields = (fieldRules.get(type) ?? []).filter(matters);
    types.set(type.name, { ...(typeRules.get(type) ?? NO_RULES), fields });
  }

  return {
    types,
    argumentsOf: ({ args }, declarations) => (args.length === 0 ? NO_INPUT : argumentRules(args, declarations)),
  };

  function argumentRules(
    args: readonly GraphQLArgument[],
    declarations: readonly Declaration[],
  ): readonly InputRules[] {
    return args
      .map((arg) => {
        const found = declarations.map(({ coordinate, field: declared }, index) => {
          const same = declared.args.find(({ name }) => name === arg.name);
          const via = index === 0 ? 'ARGUMENT' : 'INTERFACE_ARGUMENT';
          return same === undefined ? NO_RULES : valueRules(same, `${coordinate}(${arg.name}:)`, via);
        });
        const coordinate = `${declarations[0]?.coordinate}(${arg.name}:)`;
        const { rules, sources } = together(found);
        return { name: arg.name, coordinate, rules, sources, type: getNamedType(arg.type) };
      })
      .filter(matters);
  }

  function matters({ rules, type }: InputRules): boolean {
    return rules.length > 0 || (isInputObjectType(type) && concerned.has(type));
  }

  function fieldsOf(type: GraphQLInputObjectType): readonly InputRules[] {
    return Object.values(type.getFields()).map((field) => {
      const coordinate = `${type.name}.${field.name}`;
      const found = valueRules(field, coordinate, 'INPUT_FIELD');
      return { name: field.name, coordinate, ...found, type: getNamedType(field.type) };
    });
  }

  /** The rules of the place and of the scalar or enum that goes into it. */
  function valueRules(place: Directable & Pick<GraphQLArgument, 'type'>, coordinate: string, via: RuleVia): Found {
    const type = getNamedType(place.type);
    const ofType = isScalarType(type) || isEnumType(type) ? rulesOf(type, type.name, 'VALUE_TYPE') : NO_RULES;
    return together([rulesOf(place, coordinate, via), ofType]);
  }

  function rulesOf(place: Directable, coordinate: string, via: RuleVia): Found {
    const { applications } = read(place, coordinate);
    if (applications.length === 0) return NO_RULES;
    for (const { from, onDeny, node } of applications) {
      if (from !== undefined) throw configError(coordinate, 'has a rule with from, which is for fields', node);
      if (onDeny !== undefined && onDeny !== 'ERROR') {
        throw configError(coordinate, 'can deny with an error only', node);
      }
    }
    const login = stepUpOf(applications, coordinate, rules);
    return {
      rules: [...applications.map(({ rule }) => rule), ...(login === undefined ? [] : [login])],
      sources: applications.map((application) => ruleSource(application, via)),
    };
  }

  /** The input types with a rule, and those that contain them at any depth. */
  function closure(): ReadonlySet<GraphQLInputObjectType> {
    const found = new Set<GraphQLInputObjectType>();
    for (let before = -1; before < found.size; ) {
      before = found.size;
      for (const [type, fields] of fieldRules) {
        const leads = fields.some((field) => isInputObjectType(field.type) && found.has(field.type));
        const has = fields.some(({ rules }) => rules.length > 0) || (typeRules.get(type) ?? NO_RULES).rules.length > 0;
        if (leads || has) found.add(type);
      }
    }
    return found;
  }
}

function together(found: readonly Found[]): Found {
  // Most places have no rules at all.
  if (found.every(({ rules }) => rules.length === 0)) return NO_RULES;
  const sources: readonly RuleSource[] = found.flatMap((each) => each.sources);
  return { rules: [...new Set(found.flatMap(({ rules }) => rules))], sources };
}
