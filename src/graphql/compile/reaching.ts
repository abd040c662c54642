import type { GraphQLSchema } from 'graphql';
import { configError } from '../rules/config-error.ts';
import type { Application, AuthResource } from '../rules/rule-arguments.ts';

/** Of which root type a field is, if of one. */
export type RootKind = 'query' | 'mutation' | 'subscription' | undefined;

export type RootKinds = ReadonlyMap<string, RootKind>;

/**
 * Which types operations start in, by name.
 *
 * @throws `CONFIG_INVALID` where two kinds of operations start in one type, which graphql 16 does not refuse: what a
 * rule there may say depends on the kind.
 */
export function rootKinds(schema: GraphQLSchema): RootKinds {
  const types = [
    [schema.getQueryType(), 'query'],
    [schema.getMutationType(), 'mutation'],
    [schema.getSubscriptionType(), 'subscription'],
  ] as const;
  const kinds = new Map<string, RootKind>();
  for (const [type, kind] of types) {
    if (!type) continue;
    const other = kinds.get(type.name);
    if (other !== undefined) throw configError(type.name, `is the type of ${other} and of ${kind}; give each its own`);
    kinds.set(type.name, kind);
  }
  return kinds;
}

/** The rules that reach a field, by where they come from. */
export interface Reaching {
  readonly ofOwner: readonly Application[];
  /** Its own, and those of the interfaces' same-named fields. */
  readonly ofFields: readonly Application[];
  /** Of the type that it returns; where that has fields, only what asks for the principal alone. */
  readonly ofReturned: readonly Application[];
  readonly root: RootKind;
}

/** What a rule looks at where it does not say. */
export function resourceOf({ from }: Application, root: RootKind): AuthResource {
  return from ?? (root === undefined ? 'PARENT' : 'ARGS');
}
