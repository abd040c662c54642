import { type GraphQLFieldConfig, type GraphQLSchema, type GraphQLTypeResolver, isObjectType } from 'graphql';
import type { CompileOptions } from './compile.ts';
import type { FieldPlan } from './plan.ts';

/** What was put on a field: its plan, the functions that enforce it, and what the schema was compiled with. */
export interface FieldProtection extends Pick<GraphQLFieldConfig<unknown, unknown>, 'resolve' | 'subscribe'> {
  readonly options: CompileOptions;
  readonly plan: FieldPlan;
}

/** What was put on an interface or a union. */
export interface AbstractProtection {
  readonly resolveType: GraphQLTypeResolver<unknown, unknown>;
}

const PROTECTION: unique symbol = Symbol.for('doorward.graphql.protection');

type Extensions = { readonly extensions: object };

/** Extensions with a protection added; without a prototype, which is how graphql keeps symbol keys. */
export function withProtection(
  extensions: object | null | undefined,
  protection: CompileOptions | FieldProtection | AbstractProtection,
): Record<string, unknown> {
  return Object.assign(Object.create(null), extensions, { [PROTECTION]: protection });
}

export function fieldProtection(field: Extensions): FieldProtection | undefined {
  return Reflect.get(field.extensions, PROTECTION);
}

export function abstractProtection(type: Extensions): AbstractProtection | undefined {
  return Reflect.get(type.extensions, PROTECTION);
}

/** What a schema was compiled with, if it is protected; `extendSchema` keeps the extensions of fields only. */
export function schemaProtection(schema: GraphQLSchema): CompileOptions | undefined {
  const recorded: CompileOptions | undefined = Reflect.get(schema.extensions, PROTECTION);
  if (recorded !== undefined) return recorded;
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type)) continue;
    for (const field of Object.values(type.getFields())) {
      const protection = fieldProtection(field);
      if (protection !== undefined) return protection.options;
    }
  }
  return undefined;
}
