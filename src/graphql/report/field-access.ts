import {
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isAbstractType,
  isListType,
  isRequiredArgument,
} from 'graphql';
import type { FieldPlan, InputRules, SchemaPlan } from '../compile/plan.ts';
import { hasDefault } from '../rules/declaration.ts';
import type { Rule } from '../rules/rule.ts';

/**
 * Whether a caller is let through: always, never, or depending on what the operation is about (the arguments, the
 * object, the result) and on what is not known of the caller.
 */
export type Access = 'allow' | 'deny' | 'conditional';

export type AccessOf = (rule: Rule) => Access;

/** The access to a field by one caller, reached on an object of its type. */
export function fieldAccess(
  schema: GraphQLSchema,
  plan: SchemaPlan,
  planOfField: FieldPlan | undefined,
  field: GraphQLField<unknown, unknown>,
  accessOf: AccessOf,
): Access {
  const { gate, stepUp, before = [], after = [], input = [] } = planOfField ?? {};
  const isList = isListType(getNullableType(field.type));
  const entered = returnedAccess(schema, plan, getNamedType(field.type), accessOf);
  return together([
    ...[gate, stepUp].flatMap((rule) => (rule === undefined ? [] : accessOf(rule))),
    ...[...before, ...after].map(({ rule }) => accessOf(rule)),
    ...input.map((argument) => argumentPart(field, argument, plan, accessOf)),
    // A list may be empty, and is shown then.
    entered === 'deny' && (isList || planOfField === undefined) ? 'conditional' : entered,
  ]);
}

/** The access to giving a value, reached through a field that may be used. */
export function inputAccess({ rules }: Pick<InputRules, 'rules'>, accessOf: AccessOf): Access {
  return together(rules.map(accessOf));
}

/** Conditions that must all hold. */
export function together(parts: readonly Access[]): Access {
  if (parts.includes('deny')) return 'deny';
  return parts.includes('conditional') ? 'conditional' : 'allow';
}

/** An argument that may be left out closes no field: it makes the field depend on what is asked for. */
function argumentPart(
  field: GraphQLField<unknown, unknown>,
  argument: InputRules,
  plan: SchemaPlan,
  accessOf: AccessOf,
): Access {
  const own = inputAccess(argument, accessOf);
  const isAlwaysGiven = field.args.some((arg) => arg.name === argument.name && isAlwaysPresent(arg));
  const optional = together([own, nestedAccess(argument.type.name, plan, accessOf, new Set())]);
  if (own === 'deny' && isAlwaysGiven) return 'deny';
  return optional === 'allow' ? 'allow' : 'conditional';
}

/** Whether the arguments of a field hold a value for it in every operation. */
export function isAlwaysPresent(arg: GraphQLField<unknown, unknown>['args'][number]): boolean {
  return isRequiredArgument(arg) || hasDefault(arg);
}

function nestedAccess(name: string, plan: SchemaPlan, accessOf: AccessOf, seen: Set<string>): Access {
  const type = plan.inputTypes.get(name);
  if (type === undefined || seen.has(name)) return 'allow';
  seen.add(name);
  return together([
    ...type.rules.map(accessOf),
    ...type.fields.flatMap((field) => [
      inputAccess(field, accessOf),
      nestedAccess(field.type.name, plan, accessOf, seen),
    ]),
  ]);
}

/** What entering the objects of an interface or a union asks beyond what the field itself does. */
function returnedAccess(schema: GraphQLSchema, plan: SchemaPlan, type: GraphQLNamedType, accessOf: AccessOf): Access {
  if (!isAbstractType(type) || !plan.abstracts.has(type.name)) return 'allow';
  const parts = schema.getPossibleTypes(type).map(({ name }) => {
    const { gate, stepUp } = plan.objects.get(name) ?? {};
    return together([gate, stepUp].flatMap((rule) => (rule === undefined ? [] : accessOf(rule))));
  });
  const [first = 'allow'] = parts;
  return parts.every((part) => part === first) ? first : 'conditional';
}
