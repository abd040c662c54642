import type { Effect } from '../../core/index.ts';

/** A value that conditions compare. */
export type Scalar = string | number | boolean;

/**
 * Where a value comes from. After `subject.`, `resource.` and `environment.` stands the name of an attribute,
 * except that `subject.id`, `subject.roles`, `resource.type`, `resource.id`, `environment.time`, `.hour`, `.ip`
 * and `.userAgent` are the request's own fields.
 */
export type AttributePath = `subject.${string}` | `resource.${string}` | `environment.${string}` | 'action';

/** A value that is read from the request. */
export interface AttributeRef {
  readonly attr: AttributePath;
  /**
   * IANA name of a time zone, at `environment.hour` only: the hour is then counted from `environment.time` in
   * that zone, whatever hour the request brings.
   */
  readonly timeZone?: string;
}

/** A constant, or an attribute. */
export type Operand = Scalar | AttributeRef;
/** A list of constants, or an attribute that holds a list. */
export type ListOperand = readonly Scalar[] | AttributeRef;
type Pair = readonly [Operand, Operand];

/**
 * What a rule asks of a request, as JSON. Every condition is true, false or unknown; it is unknown
 * when an attribute it needs is missing.
 */
export type Condition =
  | { readonly eq: Pair }
  | { readonly ne: Pair }
  | { readonly lt: Pair }
  | { readonly lte: Pair }
  | { readonly gt: Pair }
  | { readonly gte: Pair }
  | { readonly startsWith: Pair }
  | { readonly endsWith: Pair }
  | { readonly in: readonly [Operand, ListOperand] }
  | { readonly contains: readonly [ListOperand, Operand] }
  | { readonly present: AttributeRef }
  | { readonly predicate: string }
  | { readonly and: readonly Condition[] }
  | { readonly or: readonly Condition[] }
  | { readonly not: Condition };

/** Allows or denies when its condition holds. A deny rule also fires when its condition is unknown. */
export interface PolicyRule {
  /** Unique in its policy; named in decisions and traces. */
  readonly id: string;
  readonly effect: Effect;
  readonly description?: string;
  /** The resource types that the rule is about. @default all */
  readonly resources?: readonly string[];
  /** The actions that the rule is about. @default all */
  readonly actions?: readonly string[];
  /** `always` is written out, so that a forgotten condition is an error and no open door. */
  readonly when: Condition | 'always';
}

/**
 * How the rules of a policy make one answer. If no rule fires, every policy denies.
 *
 * - `first-match`: the first rule that fires, in order, decides.
 * - `any-allow`: there are allow rules only, and any of them allows.
 * - `deny-overrides`: a deny rule that fires denies, whatever allows.
 */
export type Combining = 'first-match' | 'any-allow' | 'deny-overrides';

/** An attribute policy: plain data, the same in TypeScript and in a JSON file. */
export interface Policy {
  readonly name: string;
  readonly combining: Combining;
  readonly rules: readonly PolicyRule[];
}
