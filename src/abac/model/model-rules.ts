import {
  and,
  attr,
  contains,
  endsWith,
  eq,
  gt,
  gte,
  isIn,
  lt,
  lte,
  ne,
  not,
  or,
  predicate,
  present,
  rule,
  startsWith,
} from '../policy/build.ts';
import type { AttributeRef, Condition, PolicyRule, Scalar } from '../policy/policy.ts';
import { hasRole, hourBetween, owner, sameDepartment } from '../policy/shorthand.ts';
import type { ActionOf, ModelDefinition, PathsOf, PredicateOf, ResourceOf, RoleOf } from './definition.ts';
import type { ModelVocabulary } from './vocabulary.ts';

declare const VALUE: unique symbol;

/** An attribute whose values have a known type. At run time it is a plain {@link AttributeRef}. */
export interface TypedAttribute<Value> extends AttributeRef {
  /** Exists for the compiler only. */
  readonly [VALUE]: Value;
}

type Wide<T> = T extends string ? string : T extends number ? number : boolean;
/** A constant that the attribute beside it can have, or an attribute of the same type. */
type Other<T> = T | TypedAttribute<Wide<T>>;
type Compare<Limit> = <T extends Limit>(left: TypedAttribute<T>, right: Other<NoInfer<T>>) => Condition;
type Affix = (text: TypedAttribute<string>, affix: string | TypedAttribute<string>) => Condition;

/** What a rule of a model may say beside its condition. */
export interface ModelRuleDetails<Action> {
  readonly description?: string;
  /** The actions that the rule is about. @default all */
  readonly actions?: readonly Action[];
}

type MakeRule<Action> = (id: string, when: Condition | 'always', details?: ModelRuleDetails<Action>) => PolicyRule;

/**
 * The functions that build rules and conditions, with types that know the model: `R` are the resource types that
 * the rules are about. Comparisons have the attribute on the left.
 */
export interface ModelRules<M extends ModelDefinition, R extends ResourceOf<M>> {
  readonly allow: MakeRule<ActionOf<M, R>>;
  readonly deny: MakeRule<ActionOf<M, R>>;
  attr<Path extends keyof PathsOf<M, R> & AttributeRef['attr']>(path: Path): TypedAttribute<PathsOf<M, R>[Path]>;
  readonly eq: Compare<Scalar>;
  readonly ne: Compare<Scalar>;
  readonly lt: Compare<string | number>;
  readonly lte: Compare<string | number>;
  readonly gt: Compare<string | number>;
  readonly gte: Compare<string | number>;
  readonly startsWith: Affix;
  readonly endsWith: Affix;
  isIn<T extends Scalar>(
    value: TypedAttribute<T>,
    list: readonly NoInfer<T>[] | TypedAttribute<readonly Wide<NoInfer<T>>[]>,
  ): Condition;
  contains<T extends Scalar>(list: TypedAttribute<readonly T[]>, value: Other<NoInfer<T>>): Condition;
  present(attribute: TypedAttribute<unknown>): Condition;
  predicate(name: PredicateOf<M>): Condition;
  /** The subject holds the role, or one that inherits it. */
  hasRole(role: RoleOf<M>): Condition;
  /** The subject's id is the one in the resource's attribute. */
  owner(attribute: keyof M['resources'][R]['attributes'] & string): Condition;
  readonly sameDepartment: typeof sameDepartment;
  readonly hourBetween: typeof hourBetween;
  readonly and: typeof and;
  readonly or: typeof or;
  readonly not: typeof not;
}

/** The builders that everybody uses; rules are told their resource types, and roles who inherits them. */
export function modelRules<M extends ModelDefinition, R extends ResourceOf<M>>(
  { holders }: ModelVocabulary,
  resources: readonly R[],
): ModelRules<M, R> {
  const about = resources.length > 0 && { resources };
  const made =
    (make: typeof rule.allow): MakeRule<string> =>
    (id, when, details) =>
      make(id, when, { ...details, ...about });
  const rules = {
    allow: made(rule.allow),
    deny: made(rule.deny),
    hasRole: (role: string): Condition => {
      const [, ...heirs] = holders.get(role) ?? [];
      return heirs.length === 0 ? hasRole(role) : or(hasRole(role), ...heirs.map(hasRole));
    },
    ...{ attr, eq, ne, lt, lte, gt, gte, startsWith, endsWith, isIn, contains, present, predicate },
    ...{ owner, sameDepartment, hourBetween, and, or, not },
  };
  return Object.freeze(rules) as unknown as ModelRules<M, R>;
}
