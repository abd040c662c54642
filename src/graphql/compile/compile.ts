import {
  type GraphQLIsTypeOfFn,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isCompositeType,
  isIntrospectionType,
  isObjectType,
} from 'graphql';
import type { RuleMap } from '../rule-map.ts';
import { configError } from '../rules/config-error.ts';
import { createRuleReader } from '../rules/read-rules.ts';
import { createRuleTable, onePerPrincipal } from '../rules/rule.ts';
import type { KnownNames } from '../rules/rule-arguments.ts';
import { compileField } from './compile-field.ts';
import { compileInput } from './compile-input.ts';
import { createTypeReader, refuseStrayRules, stepUpOf } from './compile-types.ts';
import { declarationsOf, withInterfaces } from './inheritance.ts';
import type { FieldPlan, ObjectPlan, SchemaPlan } from './plan.ts';
import { rootKinds } from './reaching.ts';

/** What a field with `onDeny: MASK` shows to those whom the rule does not let through, by coordinate. */
export type Masks = Readonly<Record<string, (value: unknown) => unknown>>;

export interface CompileOptions {
  readonly directiveName: string;
  readonly known: KnownNames;
  /** Rules beside those of the SDL. */
  readonly rules: RuleMap;
  readonly masks: Masks;
  readonly unprotected: 'allow' | 'warn' | 'deny';
  readonly enforce: EnforceMode;
}

/** Whether rules are enforced field by field, on the operation as a whole as well, or not at all. */
export type EnforceMode = 'field' | 'operation' | 'dry-run';

/** Reads every directive of a schema, once, and works out what every field of it asks. */
export function compile(schema: GraphQLSchema, options: CompileOptions): SchemaPlan {
  const rules = createRuleTable();
  const read = createRuleReader(schema, options, rules);
  const ofTypes = createTypeReader(read, rules);
  const input = compileInput(schema, read, rules);
  const masks = new Map(Object.entries(options.masks));
  const roots = rootKinds(schema);
  const compiler = { roots, read, types: ofTypes, rules, input, masks };
  refuseStrayRules(schema, read);

  const fields = new Map<string, FieldPlan>();
  const objects = new Map<string, ObjectPlan | undefined>();
  const typeTests = new Map<string, GraphQLIsTypeOfFn<unknown, unknown>>();
  const unprotected: string[] = [];
  const types = Object.values(schema.getTypeMap()).filter((type) => !isIntrospectionType(type));
  for (const type of types) {
    const rulesOfType = ofTypes.of(type);
    if (!isObjectType(type)) continue;
    if (type.isTypeOf) typeTests.set(type.name, type.isTypeOf);
    const typeIsPublic = read(type, type.name).isPublic;
    if (typeIsPublic && rulesOfType[0] !== undefined) {
      throw configError(type.name, `is @public and has a rule of ${rulesOfType[0].coordinate}`, rulesOfType[0].node);
    }
    objects.set(
      type.name,
      rulesOfType.length === 0
        ? undefined
        : {
            gate: rules.all(rulesOfType.flatMap(({ rule }) => onePerPrincipal(rule))),
            stepUp: stepUpOf(rulesOfType, type.name, rules),
          },
    );

    const lineage = withInterfaces(type);
    // An operation is judged when its first root field is entered, whichever that is.
    const judges = options.enforce === 'operation' && roots.has(type.name);
    for (const field of Object.values(type.getFields())) {
      const declarations = declarationsOf(lineage, field.name);
      const plan = compileField(compiler, type, field, declarations);
      const { isPublic: fieldIsPublic, publicNode } = read(field, plan.coordinate);
      if (fieldIsPublic && plan.gate !== undefined) {
        throw configError(plan.coordinate, `is @public and has a rule all the same: ${plan.gate.text}`, publicNode);
      }
      const isOpen = plan.gate === undefined && !fieldIsPublic && !typeIsPublic;
      if (isOpen) unprotected.push(plan.coordinate);
      // What the objects of an event tell is decided anew, whether or not the field that brings them has a rule.
      const renews = roots.get(type.name) === 'subscription' && isCompositeType(getNamedType(field.type));
      if (isOpen && options.unprotected === 'deny') fields.set(plan.coordinate, { ...plan, gate: rules.never });
      else if (plan.gate !== undefined || plan.input.length > 0 || judges || renews) fields.set(plan.coordinate, plan);
    }
  }
  refuseIdleMasks(masks, fields);

  const abstracts = types
    .filter(isAbstractType)
    .filter((type) => schema.getPossibleTypes(type).some(({ name }) => objects.get(name) !== undefined))
    .map(({ name }) => name);
  return { fields, objects, typeTests, abstracts: new Set(abstracts), inputTypes: input.types, unprotected };
}

/** A mask that masks nothing means that its directive got lost, and the value with it. */
function refuseIdleMasks(masks: ReadonlyMap<string, unknown>, fields: ReadonlyMap<string, FieldPlan>): void {
  const used = new Set([...fields.values()].map(({ mask }) => mask?.coordinate));
  for (const coordinate of masks.keys()) {
    if (!used.has(coordinate)) throw configError(`masks.${coordinate}`, 'is the mask of no field with onDeny: MASK');
  }
}
