import type { GraphQLIsTypeOfFn, GraphQLNamedInputType } from 'graphql';
import type { Rule } from '../rules/rule.ts';
import type { AuthDenial, AuthResource } from '../rules/rule-arguments.ts';
import type { Reaching } from './reaching.ts';
import type { RuleSource } from './rule-source.ts';

/** A rule, what it is about, and what happens when it denies. */
export interface Requirement {
  readonly rule: Rule;
  readonly from: AuthResource;
  readonly onDeny: AuthDenial;
}

/** The rules on one argument, or on one field of an input type; they hold where a value is present. */
export interface InputRules {
  readonly name: string;
  readonly coordinate: string;
  readonly rules: readonly Rule[];
  readonly sources: readonly RuleSource[];
  readonly type: GraphQLNamedInputType;
}

/** What is asked before anything of an object is told. */
export interface ObjectPlan {
  /** Decided once per principal. */
  readonly gate: Rule;
  readonly stepUp: Rule | undefined;
}

/** The rules of an input type, and those of its fields that lead to a rule. */
export interface InputTypeRules {
  readonly rules: readonly Rule[];
  readonly sources: readonly RuleSource[];
  readonly fields: readonly InputRules[];
}

/** What a field shows to those whom its rule does not let through. */
export interface Mask {
  /** The coordinate under which the function was given. */
  readonly coordinate: string;
  readonly apply: (value: unknown) => unknown;
}

/** Everything that one field asks of its callers, worked out once. */
export interface FieldPlan {
  readonly coordinate: string;
  /** Decided once per principal; with a gate the field is closed to anonymous callers. */
  readonly gate: Rule | undefined;
  /** The login that is asked for, of those whom every other rule lets through that denies with an error before the resolver. */
  readonly stepUp: Rule | undefined;
  /** Decided per call before the resolver; those that deny with an error first, masks last. */
  readonly before: readonly Requirement[];
  readonly input: readonly InputRules[];
  /** Decided per result, in the same order. */
  readonly after: readonly Requirement[];
  /** How many lists the items of the result lie in, where anything is decided of them. */
  readonly listDepth: number;
  readonly mask: Mask | undefined;
  /** The rules that it was made of; those of its arguments are with these. */
  readonly reaching: Reaching | undefined;
}

/** What a schema asks of its callers. */
export interface SchemaPlan {
  readonly fields: ReadonlyMap<string, FieldPlan>;
  /** Of every object type, the ones without rules among them. */
  readonly objects: ReadonlyMap<string, ObjectPlan | undefined>;
  /** The `isTypeOf` of the object types that have one. */
  readonly typeTests: ReadonlyMap<string, GraphQLIsTypeOfFn<unknown, unknown>>;
  /** Interfaces and unions of which a possible type has such a rule. */
  readonly abstracts: ReadonlySet<string>;
  readonly inputTypes: ReadonlyMap<string, InputTypeRules>;
  /** Coordinates of the fields without a rule and without `@public`. */
  readonly unprotected: readonly string[];
}

/** Tells two plans of one field apart. */
export function describePlan(plan: FieldPlan): string {
  const { gate, stepUp, before, after, input, listDepth, mask } = plan;
  const requirement = ({ rule, from, onDeny }: Requirement): string => `${from} ${onDeny} ${rule.text}`;
  const inputs = input.map(({ coordinate, rules }) => `${coordinate}: ${rules.map((rule) => rule.text).join()}`);
  const shape = [listDepth, mask?.coordinate];
  return [gate?.text, stepUp?.text, ...before.map(requirement), ...after.map(requirement), ...inputs, ...shape].join(
    '\n',
  );
}
