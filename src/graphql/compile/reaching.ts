import type { GraphQLSchema } from 'graphql';
import type { Application, AuthResource } from '../rules/rule-arguments.ts';

/** Of which root type a field is, if of one. */
export type RootKind = 'query' | 'mutation' | 'subscription' | undefined;

export type RootKinds = ReadonlyMap<string | undefined, RootKind>;

/** Which types operations start in, by name. */
export function rootKinds(schema: GraphQLSchema): RootKinds {
  return new Map<string | undefined, RootKind>([
    [schema.getQueryType()?.name, 'query'],
    [schema.getMutationType()?.name, 'mutation'],
    [schema.getSubscriptionType()?.name, 'subscription'],
  ]);
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
