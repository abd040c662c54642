import type { Decision, Environment, MaybePromise, Principal } from '../core/index.ts';
import type { DecisionPointPolicy } from './decide/decision-point-policy.ts';

/** What a policy may look at. */
export interface PolicyInput<Context = unknown> {
  readonly principal: Principal;
  readonly context: Context;
  /** The arguments of the field, coerced. */
  readonly args: Readonly<Record<string, unknown>>;
  /** The object that the field belongs to. */
  readonly parent: unknown;
  /**
   * What the rule is about, the same that `owner` paths are read from: the arguments of a root field, the
   * parent of another, the result with `from: RESULT`, the input object that holds a guarded input field.
   */
  readonly resource: unknown;
  /** With `from: RESULT` what the field resolved to, of a list the item; otherwise undefined. */
  readonly result: unknown;
  readonly environment: Environment;
  /** Where the rule is enforced, for example `Mutation.publishPost`. */
  readonly coordinate: string;
}

/**
 * A named condition of your own. Only `true` and a {@link Decision} that allows let through: any other
 * answer, a throw, a rejection and an answer that comes too late do not, not even below a `not`.
 */
export type Policy<Context = unknown> = (input: PolicyInput<Context>) => MaybePromise<boolean | Decision>;

/** Policies by the name that rules use: functions of your own, and questions to a decision point. */
export type Policies<Context = unknown, Name extends string = string> = Readonly<
  Record<Name, Policy<Context> | DecisionPointPolicy<Context>>
>;

/**
 * Types policies against the context of your server; the names stay known to the compiler.
 *
 * @example
 * const policies = definePolicies<MyContext>()({
 *   sameDepartment: ({ principal, context }) => principal.attributes['department'] === context.department,
 * });
 */
export function definePolicies<Context>(): <const P extends Policies<Context>>(policies: P) => P {
  return (policies) => policies;
}
