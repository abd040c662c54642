import type { Effect } from '../../core/index.ts';
import type {
  AttributePath,
  AttributeRef,
  Combining,
  Condition,
  ListOperand,
  Operand,
  Policy,
  PolicyRule,
} from './policy.ts';

/** How the rules make one answer. */
export interface PolicyOptions {
  /** @default 'first-match' */
  readonly combining?: Combining;
}

/**
 * Makes a policy from its rules, in order.
 *
 * @example
 * const documents = policy('documents', [rule.allow('admin', hasRole('admin')), rule.allow('owner', owner())]);
 */
export function policy(name: string, rules: readonly PolicyRule[], options: PolicyOptions = {}): Policy {
  return { name, combining: options.combining ?? 'first-match', rules };
}

/** What a rule may say beside its condition. */
export type RuleDetails = Pick<PolicyRule, 'description' | 'resources' | 'actions'>;

interface RuleBuilder {
  /** Makes a rule that allows when its condition is true. */
  allow(id: string, when: Condition | 'always', details?: RuleDetails): PolicyRule;
  /** Makes a rule that denies unless its condition is known to be false. */
  deny(id: string, when: Condition | 'always', details?: RuleDetails): PolicyRule;
}

/**
 * Makes the rules of a policy.
 *
 * @example
 * rule.deny('suspended', eq(attr('subject.status'), 'suspended'), { description: 'Suspended people may do nothing.' });
 */
export const rule: RuleBuilder = { allow: ruleWith('allow'), deny: ruleWith('deny') };

function ruleWith(effect: Effect) {
  return (id: string, when: Condition | 'always', details?: RuleDetails): PolicyRule => ({
    id,
    effect,
    ...details,
    when,
  });
}

/**
 * Names a value of the request.
 *
 * @example
 * attr('resource.sensitivity');
 */
export function attr(path: AttributePath): AttributeRef {
  return { attr: path };
}

/**
 * Equal, and of the same type: `1` is not `'1'`.
 *
 * @example
 * eq(attr('action'), 'read');
 */
export function eq(left: Operand, right: Operand): Condition {
  return { eq: [left, right] };
}

/**
 * Not equal. Unknown, not true, when a side is missing.
 *
 * @example
 * ne(attr('resource.status'), 'archived');
 */
export function ne(left: Operand, right: Operand): Condition {
  return { ne: [left, right] };
}

/**
 * Less than: two numbers, or two strings by code point.
 *
 * @example
 * lt(attr('resource.amount'), 1_000);
 */
export function lt(left: Operand, right: Operand): Condition {
  return { lt: [left, right] };
}

/**
 * Less than or equal: two numbers, or two strings by code point.
 *
 * @example
 * lte(attr('resource.amount'), attr('subject.limit'));
 */
export function lte(left: Operand, right: Operand): Condition {
  return { lte: [left, right] };
}

/**
 * Greater than: two numbers, or two strings by code point.
 *
 * @example
 * gt(attr('subject.level'), 2);
 */
export function gt(left: Operand, right: Operand): Condition {
  return { gt: [left, right] };
}

/**
 * Greater than or equal: two numbers, or two strings by code point.
 *
 * @example
 * gte(attr('environment.hour'), 9);
 */
export function gte(left: Operand, right: Operand): Condition {
  return { gte: [left, right] };
}

/**
 * The left string begins with the right one.
 *
 * @example
 * startsWith(attr('resource.id'), 'public-');
 */
export function startsWith(left: Operand, right: Operand): Condition {
  return { startsWith: [left, right] };
}

/**
 * The left string ends with the right one.
 *
 * @example
 * endsWith(attr('subject.email'), '@example.org');
 */
export function endsWith(left: Operand, right: Operand): Condition {
  return { endsWith: [left, right] };
}

/**
 * The value is an element of the list.
 *
 * @example
 * isIn(attr('action'), ['read', 'list']);
 */
export function isIn(value: Operand, list: ListOperand): Condition {
  return { in: [value, list] };
}

/**
 * The list has the value as an element.
 *
 * @example
 * contains(attr('resource.reviewers'), attr('subject.id'));
 */
export function contains(list: ListOperand, value: Operand): Condition {
  return { contains: [list, value] };
}

/**
 * The attribute has a value: a string, a number, a boolean or a list. Never unknown.
 *
 * @example
 * present(attr('subject.department'));
 */
export function present(attribute: AttributeRef): Condition {
  return { present: attribute };
}

/**
 * All conditions hold.
 *
 * @example
 * and(sameDepartment(), eq(attr('action'), 'read'));
 */
export function and(...conditions: readonly Condition[]): Condition {
  return { and: conditions };
}

/**
 * At least one condition holds.
 *
 * @example
 * or(hasRole('editor'), owner());
 */
export function or(...conditions: readonly Condition[]): Condition {
  return { or: conditions };
}

/**
 * The condition is false.
 *
 * @example
 * not(hasRole('guest'));
 */
export function not(condition: Condition): Condition {
  return { not: condition };
}

/**
 * A function of the program, given to `createPolicyEngine` by this name, says whether it holds. Nothing can look
 * into a function: filters, Rego and proofs refuse a policy that has one.
 *
 * @example
 * rule.allow('on-call', predicate('isOnCall'));
 */
export function predicate(name: string): Condition {
  return { predicate: name };
}
