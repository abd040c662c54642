import {
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLInterfaceType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  isRequiredArgument,
  isRequiredInputField,
  isUnionType,
} from 'graphql';
import type { InputRules, SchemaPlan } from '../compile/plan.ts';
import { type AccessOf, isAlwaysPresent } from '../report/field-access.ts';
import { hasDefault } from '../rules/declaration.ts';
import { givenByDefault } from './given-by-default.ts';
import type { Composite, Hidden, OutputField, Visibility } from './parts.ts';
import { reachable } from './reachable.ts';

/**
 * Works out what to leave out: what is always denied with an error, types of which nothing is left, and what leads
 * to them only. A visible interface keeps its fields on every type that implements it, so that the outcome is a
 * valid schema; so a type may show the name of a field that it denies, if that is visible elsewhere.
 */
export function visibilityOf(schema: GraphQLSchema, plan: SchemaPlan, accessOf: AccessOf): Visibility {
  const forced = new Set<string>();
  for (;;) {
    const hidden = hiddenParts(schema, plan, accessOf, forced);
    const found = reachable(schema, hidden);
    const revived = [...found].filter((name) => hidden.dead.has(name));
    if (revived.length === 0) return { ...hidden, hasType: (name) => found.has(name) };
    // Something visible has this type: the field of an interface, or a value that is there by default.
    for (const name of revived) {
      forced.add(name);
      const type = schema.getType(name);
      const [member] = isUnionType(type) ? type.getTypes() : [];
      // A union needs a member, and no rule says which.
      if (member !== undefined) forced.add(member.name);
    }
  }
}

function hiddenParts(schema: GraphQLSchema, plan: SchemaPlan, accessOf: AccessOf, forced: ReadonlySet<string>): Hidden {
  const dead = new Set<string>();
  const given = givenByDefault(schema);
  const types = Object.values(schema.getTypeMap()).filter((type) => !isIntrospectionType(type));
  for (let before = -1; before < dead.size; ) {
    before = dead.size;
    for (const type of types) {
      if (!forced.has(type.name) && !dead.has(type.name) && isDead(type)) dead.add(type.name);
    }
  }
  return { dead, hasField, hasArgument, hasInputField };

  function isDead(type: (typeof types)[number]): boolean {
    if (isObjectType(type)) {
      const { gate } = plan.objects.get(type.name) ?? {};
      return (gate !== undefined && accessOf(gate) === 'deny') || !Object.values(type.getFields()).some(isShown(type));
    }
    if (isInterfaceType(type)) {
      const possible = schema.getPossibleTypes(type);
      if (possible.length > 0) return possible.every(({ name }) => dead.has(name));
      return !Object.values(type.getFields()).some(isShown(type));
    }
    if (isUnionType(type)) return type.getTypes().every(({ name }) => dead.has(name));
    return isInputObjectType(type) && isUnusable(type);
  }

  /** A value of the type cannot be given: it would always have to hold what this caller must not give. */
  function isUnusable(type: GraphQLInputObjectType): boolean {
    const rules = plan.inputTypes.get(type.name)?.rules ?? [];
    const fields = Object.values(type.getFields());
    const isImpossible = (field: GraphQLInputField): boolean =>
      (isDeniedInput(inputRules(type, field)) && (isRequiredInputField(field) || hasDefault(field))) ||
      (dead.has(getNamedType(field.type).name) && isRequiredInputField(field));
    return isDeniedInput({ rules }) || fields.some(isImpossible) || !fields.some((field) => hasInputField(type, field));
  }

  function isShown(type: Composite): (field: OutputField) => boolean {
    return (field) => !isHidden(type, field);
  }

  /** A type that has to stay although all of it is hidden shows fields, for it must have one. */
  function hasField(type: Composite, field: OutputField): boolean {
    if (!isHidden(type, field) || isShownAnyway(type, field)) return true;
    return type.getInterfaces().some((parent) => {
      const same = parent.getFields()[field.name];
      return same !== undefined && isShownAnyway(parent, same);
    });
  }

  /** An interface may have nothing of its own to show, while the types that implement it have. */
  function isShownAnyway(type: Composite, field: OutputField): boolean {
    const isNeeded = isInterfaceType(type) ? !dead.has(type.name) : forced.has(type.name);
    const fields = Object.values(type.getFields());
    if (!isNeeded || fields.some(isShown(type))) return false;
    const isOfDeadType = (each: OutputField): boolean => dead.has(getNamedType(each.type).name);
    return !isOfDeadType(field) || fields.every(isOfDeadType);
  }

  /** A type lists the interfaces of its interfaces too, so none of them must be asked for its own. */
  function isHidden(type: Composite, field: OutputField): boolean {
    const isUnwantedThere = (parent: GraphQLInterfaceType): boolean => {
      const same = parent.getFields()[field.name];
      return same === undefined || isUnwanted(parent, same);
    };
    return isUnwanted(type, field) && type.getInterfaces().every(isUnwantedThere);
  }

  function isUnwanted(type: Composite, field: OutputField): boolean {
    if (isObjectType(type)) return isAlwaysDenied(type, field);
    const possible = schema.getPossibleTypes(type);
    if (possible.length === 0) return dead.has(getNamedType(field.type).name);
    return possible.every((object) => {
      const same = object.getFields()[field.name];
      return same === undefined || isAlwaysDenied(object, same);
    });
  }

  function isAlwaysDenied(type: GraphQLObjectType, field: OutputField): boolean {
    const { gate, before = [], input = [] } = plan.fields.get(`${type.name}.${field.name}`) ?? {};
    const early = before.filter(({ onDeny }) => onDeny === 'ERROR').map(({ rule }) => rule);
    const rules = gate === undefined ? early : [gate, ...early];
    if (dead.has(getNamedType(field.type).name) || rules.some((rule) => accessOf(rule) === 'deny')) return true;
    return field.args.some((arg) => {
      const own = input.find(({ name }) => name === arg.name);
      if (own !== undefined && isDeniedInput(own) && isAlwaysPresent(arg)) return true;
      return isRequiredArgument(arg) && dead.has(getNamedType(arg.type).name);
    });
  }

  function hasArgument(type: Composite, field: OutputField, arg: GraphQLArgument): boolean {
    if (isWantedArgument(type, field.name, arg)) return true;
    return type.getInterfaces().some((parent) => {
      const same = parent.getFields()[field.name]?.args.find(({ name }) => name === arg.name);
      return same !== undefined && isWantedArgument(parent, field.name, same);
    });
  }

  function isWantedArgument(type: Composite, fieldName: string, arg: GraphQLArgument): boolean {
    return isAlwaysPresent(arg) || !isUnwantedArgument(type, fieldName, arg);
  }

  function isUnwantedArgument(type: Composite, fieldName: string, arg: GraphQLArgument): boolean {
    if (dead.has(getNamedType(arg.type).name)) return true;
    if (isObjectType(type)) {
      const { input = [] } = plan.fields.get(`${type.name}.${fieldName}`) ?? {};
      return input.some((own) => own.name === arg.name && isDeniedInput(own));
    }
    const possible = schema.getPossibleTypes(type);
    return possible.length > 0 && possible.every((object) => isUnwantedArgument(object, fieldName, arg));
  }

  function hasInputField(type: GraphQLInputObjectType, field: GraphQLInputField): boolean {
    if (forced.has(type.name) || isRequiredInputField(field) || given.has(field)) return true;
    if (isDeniedInput(inputRules(type, field))) return hasDefault(field);
    return hasDefault(field) || !dead.has(getNamedType(field.type).name);
  }

  function inputRules(type: GraphQLInputObjectType, { name }: GraphQLInputField): Pick<InputRules, 'rules'> {
    const own = plan.inputTypes.get(type.name)?.fields.find((field) => field.name === name);
    return own ?? { rules: [] };
  }

  function isDeniedInput({ rules }: Pick<InputRules, 'rules'>): boolean {
    return rules.some((rule) => accessOf(rule) === 'deny');
  }
}
