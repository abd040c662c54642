import { type GraphQLSchema, isAbstractType, isIntrospectionType, isObjectType } from 'graphql';
import { compileField, onePerPrincipal } from './compile-field.ts';
import { compileInput } from './compile-input.ts';
import { createTypeReader, refuseStrayRules, stepUpOf } from './compile-types.ts';
import { configError } from './config-error.ts';
import { declarationsOf } from './inheritance.ts';
import type { FieldPlan, ObjectPlan, SchemaPlan } from './plan.ts';
import { createRuleReader } from './read-rules.ts';
import { createRuleTable } from './rule.ts';
import type { KnownNames } from './rule-arguments.ts';

/** What a field with `onDeny: MASK` shows to those whom the rule does not let through, by coordinate. */
export type Masks = Readonly<Record<string, (value: unknown) => unknown>>;

export interface CompileOptions {
  readonly directiveName: string;
  readonly known: KnownNames;
  readonly masks: Masks;
  readonly unprotected: 'allow' | 'deny';
}

/** Reads every directive of a schema, once, and works out what every field of it asks. */
export function compile(schema: GraphQLSchema, options: CompileOptions): SchemaPlan {
  const rules = createRuleTable();
  const read = createRuleReader(schema, options.directiveName, rules, options.known);
  const ofType = createTypeReader(read);
  const input = compileInput(schema, read, rules);
  const masks = new Map(Object.entries(options.masks));
  refuseStrayRules(schema, read);

  const fields = new Map<string, FieldPlan>();
  const objects = new Map<string, ObjectPlan | undefined>();
  const unprotected: string[] = [];
  const types = Object.values(schema.getTypeMap()).filter((type) => !isIntrospectionType(type));
  for (const type of types) {
    const rulesOfType = ofType(type);
    if (!isObjectType(type)) continue;
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

    for (const field of Object.values(type.getFields())) {
      const declarations = declarationsOf(type, field.name);
      const plan = compileField({ schema, read, ofType, rules, input, masks }, type, field, declarations);
      const fieldIsPublic = read(field, plan.coordinate).isPublic;
      if (fieldIsPublic && plan.gate !== undefined) {
        throw configError(plan.coordinate, `is @public and has a rule all the same: ${plan.gate.text}`);
      }
      const isOpen = plan.gate === undefined && !fieldIsPublic && !typeIsPublic;
      if (isOpen) unprotected.push(plan.coordinate);
      const gate = isOpen && options.unprotected === 'deny' ? rules.never : plan.gate;
      if (gate !== undefined || plan.input.length > 0) fields.set(plan.coordinate, { ...plan, gate });
    }
  }
  refuseIdleMasks(masks, fields);

  const abstracts = types
    .filter(isAbstractType)
    .filter((type) => schema.getPossibleTypes(type).some(({ name }) => objects.get(name) !== undefined))
    .map(({ name }) => name);
  return { fields, objects, abstracts: new Set(abstracts), inputTypes: input.types, unprotected };
}

/** A mask that masks nothing means that its directive got lost, and the value with it. */
function refuseIdleMasks(masks: ReadonlyMap<string, unknown>, fields: ReadonlyMap<string, FieldPlan>): void {
  const used = new Set([...fields.values()].map(({ mask }) => mask?.coordinate));
  for (const coordinate of masks.keys()) {
    if (!used.has(coordinate)) throw configError(`masks.${coordinate}`, 'is the mask of no field with onDeny: MASK');
  }
}
