import type { Effect } from '../core/index.ts';

/** A value that conditions compare. */
export type Scalar = string | number | boolean;

/**
 * Where a value comes from. After `subject.` and `resource.` stands the name of an attribute, except
 * that `subject.id`, `subject.roles`, `resource.type` and `resource.id` are the request's own fields.
 */
export type AttributePath =
  | `subject.${string}`
  | `resource.${string}`
  | 'action'
  | 'environment.time'
  | 'environment.hour'
  | 'environment.ip'
  | 'environment.userAgent';

/** A value that is read from the request. */
export interface AttributeRef {
  readonly attr: AttributePath;
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
  | { readonly and: readonly Condition[] }
  | { readonly or: readonly Condition[] }
  | { readonly not: Condition };

/** Allows or denies when its condition holds. A deny rule also fires when its condition is unknown. */
export interface PolicyRule {
  /** Unique in its policy; named in decisions and traces. */
  readonly id: string;
  readonly effect: Effect;
  readonly description?: string;
  readonly when: Condition;
}

/** An attribute policy: plain data, the same in TypeScript and in a JSON file. */
export interface Policy {
  readonly name: string;
  /** Rules are tried in order; the first that fires decides, and if none does the policy denies. */
  readonly combining: 'first-match';
  readonly rules: readonly PolicyRule[];
}
