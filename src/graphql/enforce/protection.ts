import { type GraphQLFieldResolver, type GraphQLSchema, type GraphQLTypeResolver, isObjectType } from 'graphql';
import type { CompileOptions } from '../compile/compile.ts';
import type { FieldPlan } from '../compile/plan.ts';
import type { Enforcer } from './enforcer.ts';
import type { VisibleSchemas } from './visible-part.ts';

/** What a schema was compiled with, and what enforces the outcome. */
export interface SchemaProtection {
  readonly options: CompileOptions;
  readonly enforcer: Enforcer;
  /** What has been made of the schema for callers of one kind, by the schema that it was made of. */
  readonly visible: WeakMap<GraphQLSchema, VisibleSchemas>;
}

/** What was put on a field: its plan, and the functions that enforce it. */
export interface FieldProtection {
  readonly ofSchema: SchemaProtection;
  readonly plan: FieldPlan;
  readonly resolve: GraphQLFieldResolver<unknown, unknown>;
  readonly subscribe: GraphQLFieldResolver<unknown, unknown> | undefined;
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
  protection: SchemaProtection | FieldProtection | AbstractProtection,
): Record<string, unknown> {
  const made = Object.create(null);
  if (extensions) Object.assign(made, extensions);
  made[PROTECTION] = protection;
  return made;
}

export function fieldProtection(field: Extensions): FieldProtection | undefined {
  return Reflect.get(field.extensions, PROTECTION);
}

export function abstractProtection(type: Extensions): AbstractProtection | undefined {
  return Reflect.get(type.extensions, PROTECTION);
}

/** What protects a schema, if anything does; `extendSchema` keeps the extensions of fields only. */
export function schemaProtection(schema: GraphQLSchema): SchemaProtection | undefined {
  const recorded: SchemaProtection | undefined = Reflect.get(schema.extensions, PROTECTION);
  if (recorded !== undefined) return recorded;
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type)) continue;
    for (const field of Object.values(type.getFields())) {
      const protection = fieldProtection(field);
      if (protection !== undefined) return protection.ofSchema;
    }
  }
  return undefined;
}
