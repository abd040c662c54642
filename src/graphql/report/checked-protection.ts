import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isInputObjectType,
  isObjectType,
} from 'graphql';
import { configInvalid } from '../../core/config-invalid.ts';
import { compile } from '../compile/compile.ts';
import {
  describePlan,
  type FieldPlan,
  type InputRules,
  type InputTypeRules,
  type SchemaPlan,
} from '../compile/plan.ts';
import { abstractProtection, fieldProtection, type SchemaProtection, schemaProtection } from '../enforce/protection.ts';
import { visiblePart } from '../enforce/visible-part.ts';
import { checkPart } from './check-part.ts';

/** What protects a schema, after it was checked that nothing of it got lost, and the rules as they stand now. */
export interface CheckedProtection extends SchemaProtection {
  readonly plan: SchemaPlan;
  /** The schema that {@link plan} is of; not the one given where that is a visible part of another. */
  readonly schema: GraphQLSchema;
}

/** @throws `CONFIG_INVALID` naming the first place that lost its guard, never had one, or has other rules by now. */
export function checkedProtection(schema: GraphQLSchema): CheckedProtection {
  const part = visiblePart(schema);
  if (part !== undefined) {
    checkPart(schema, part);
    return checkedProtection(part.whole);
  }
  const protection = schemaProtection(schema);
  if (protection === undefined) throw configInvalid('schema', 'is not protected');
  const plan = compile(schema, protection.options);
  const { plan: recorded } = protection.enforcer;
  for (const [coordinate, field] of plan.fields) checkField(schema, coordinate, field);
  // Directives may be gone from the schema by now; the guards that were made of them must not be.
  for (const [coordinate, field] of recorded.fields) {
    if (!plan.fields.has(coordinate) && fieldAt(schema, coordinate)) checkField(schema, coordinate, field);
  }
  checkAbstracts(schema, plan, recorded);
  for (const [name, type] of plan.inputTypes) {
    const former = recorded.inputTypes.get(name);
    if (former === undefined || describeInput(former) !== describeInput(type)) {
      throw configInvalid(name, 'has other rules than when it was protected');
    }
  }
  for (const [name, { fields }] of recorded.inputTypes) {
    const type = schema.getType(name);
    if (isInputObjectType(type)) checkInput(fields, Object.values(type.getFields()));
  }
  return { ...protection, plan, schema };
}

function checkField(schema: GraphQLSchema, coordinate: string, field: FieldPlan): void {
  const actual = fieldAt(schema, coordinate);
  const guard = actual && fieldProtection(actual);
  if (actual === undefined || guard === undefined) throw configInvalid(coordinate, 'has rules and no guard');
  if (actual.resolve !== guard.resolve || actual.subscribe !== guard.subscribe) {
    throw configInvalid(coordinate, 'lost its guard: its resolver was replaced after protectSchema');
  }
  if (guard.plan.coordinate !== coordinate) {
    throw configInvalid(coordinate, `was ${guard.plan.coordinate} when it was protected; rename before protectSchema`);
  }
  if (describePlan(guard.plan) !== describePlan(field)) {
    throw configInvalid(coordinate, 'has other rules than when it was protected');
  }
  checkInput(guard.plan.input, actual.args);
}

/** A guard finds what is given by the names and types that were there when it was made. */
function checkInput(rules: readonly InputRules[], places: readonly Pick<GraphQLArgument, 'name' | 'type'>[]): void {
  for (const { name, type, coordinate } of rules) {
    const place = places.find((each) => each.name === name);
    if (place !== undefined && getNamedType(place.type).name === type.name) continue;
    throw configInvalid(coordinate, 'was removed or has another type than when it was protected');
  }
}

function checkAbstracts(schema: GraphQLSchema, plan: SchemaPlan, recorded: SchemaPlan): void {
  for (const name of new Set([...plan.abstracts, ...recorded.abstracts])) {
    const type = schema.getType(name);
    if (!isAbstractType(type)) continue;
    const guard = abstractProtection(type);
    if (guard === undefined || guard.resolveType !== type.resolveType) {
      throw configInvalid(name, 'lost its guard: its resolveType was replaced after protectSchema');
    }
    for (const possible of schema.getPossibleTypes(type)) {
      if (!recorded.objects.has(possible.name)) {
        throw configInvalid(possible.name, `is a ${name} that was unknown when the schema was protected`);
      }
      // Which type an object is taken for decides which rules it has.
      if ((possible.isTypeOf ?? undefined) !== recorded.typeTests.get(possible.name)) {
        throw configInvalid(possible.name, 'has another isTypeOf than when the schema was protected');
      }
    }
  }
}

function fieldAt(schema: GraphQLSchema, coordinate: string): GraphQLField<unknown, unknown> | undefined {
  const [typeName = '', fieldName = ''] = coordinate.split('.');
  const type = schema.getType(typeName);
  return isObjectType(type) ? type.getFields()[fieldName] : undefined;
}

function describeInput({ rules, fields }: InputTypeRules): string {
  const lines = fields.map(({ name, type, rules }) => [name, type.name, ...rules.map(({ text }) => text)].join());
  return [rules.map(({ text }) => text).join(), ...lines.sort()].join('\n');
}
