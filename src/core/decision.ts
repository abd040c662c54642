/** Which way a rule or a decision goes. */
export type Effect = 'allow' | 'deny';

/**
 * Why a decision came out as it did. The first five are answers; the others mean that there was no
 * answer, which denies as well but is the service's fault and not the caller's (see {@link isIndeterminate}).
 */
export type ReasonCode =
  | 'rule'
  | 'no_rule'
  | 'permission'
  | 'no_permission'
  | 'insufficient_scope'
  | 'insufficient_user_authentication'
  | 'error'
  | 'timeout'
  | 'unavailable'
  | 'undefined_decision'
  | 'invalid_answer';

/** What one rule did for one request. `unknown` means that an attribute it reads is missing. */
export interface RuleTrace {
  readonly ruleId: string;
  readonly effect: Effect;
  readonly outcome: 'match' | 'no_match' | 'unknown';
  /** The comparison that decided the outcome, for people. */
  readonly detail?: string;
  /** The attributes that decided the outcome. */
  readonly attributes?: readonly TracedAttribute[];
}

/** An attribute that decided, with its value as text; `***` where the policy engine was told to redact it. */
export interface TracedAttribute {
  readonly path: string;
  readonly value: string;
}

/** Every rule of a policy in order, and what each did. */
export interface Trace {
  readonly rules: readonly RuleTrace[];
}

/**
 * The one answer. It is an object, so that a forgotten `await` does not compile: a promise has no
 * `allowed`.
 */
export interface Decision {
  readonly allowed: boolean;
  readonly effect: Effect;
  readonly reason: ReasonCode;
  /** The rule that decided; absent when none did. */
  readonly ruleId?: string;
  /** The scope that the subject lacks, where that is the reason. */
  readonly scope?: string;
  /** Identifies the policy text that answered. */
  readonly revision?: string;
  /** The identifier that a remote decision point gave its decision. */
  readonly id?: string;
  /** Epoch milliseconds until which the same request gets the same answer. */
  readonly validUntil?: number;
  /** Explains the decision rule by rule; worked out when asked. */
  trace?(): Trace;
}

type Details = Omit<Decision, 'allowed' | 'effect' | 'reason'>;

const INDETERMINATE: ReadonlySet<ReasonCode> = new Set<ReasonCode>([
  'error',
  'timeout',
  'unavailable',
  'undefined_decision',
  'invalid_answer',
]);

/**
 * Makes a decision that allows.
 *
 * @example
 * const decision = allow('rule', { ruleId: 'owner' });
 */
export function allow(reason: ReasonCode, details?: Details): Decision {
  return { ...details, allowed: true, effect: 'allow', reason };
}

/**
 * Makes a decision that denies.
 *
 * @example
 * const decision = deny('no_rule');
 */
export function deny(reason: ReasonCode, details?: Details): Decision {
  return { ...details, allowed: false, effect: 'deny', reason };
}

/**
 * Tells whether a denial means "no answer" (a failed, late or unreadable decision point) instead of
 * "no". Enforcement points answer 503 for the former and 403 for the latter.
 *
 * @example
 * isIndeterminate(deny('timeout')); // true
 */
export function isIndeterminate(decision: Decision): boolean {
  return !decision.allowed && INDETERMINATE.has(decision.reason);
}
