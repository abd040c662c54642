import { configInvalid } from '../../core/config-invalid.ts';
import type { AccessRequest, Decision, Effect } from '../../core/index.ts';
import type { Condition, Policy } from '../policy/policy.ts';
import { both, negated } from './goal.ts';
import { type AnalysisOptions, budgetOf } from './options.ts';
import { seek } from './search.ts';
import { matterOf } from './subject-matter.ts';

/** What has to be so: every request of which the condition is true gets this decision. */
export interface PolicyProperty {
  readonly when: Condition | 'always';
  readonly decision: Effect;
}

/**
 * Whether a property holds. `proved` is true only when no request breaks it, false with one that does, and
 * `undefined` when the space was too large to exhaust and none was found in what was tried.
 */
export type Proof =
  | { readonly proved: true; readonly exhaustive: true }
  | { readonly proved: false; readonly request: AccessRequest; readonly decision: Decision }
  | { readonly proved: undefined; readonly exhaustive: false };

/**
 * Proves that a policy has a property, or finds a request that breaks it.
 *
 * @throws `CONFIG_INVALID` when the policy or the condition is not valid or has a predicate.
 * @example
 * const { proved } = prove(contractPolicy, { when: hasRole('admin'), decision: 'allow' }); // true
 */
export function prove(policy: Policy, property: PolicyProperty, options: AnalysisOptions = {}): Proof {
  const budget = budgetOf(options);
  const { engine, allows } = matterOf(policy);
  const { when, decision } = property;
  if (decision !== 'allow' && decision !== 'deny') throw configInvalid('decision', 'must be "allow" or "deny"');
  const asPolicy: Policy = {
    name: 'property',
    combining: 'first-match',
    rules: [{ id: 'property', effect: decision, when }],
  };
  const [condition] = matterOf(asPolicy).rules;
  if (condition === undefined) return { proved: undefined, exhaustive: false };
  const isBroken = (request: AccessRequest): boolean =>
    condition.doesHold(request) && engine.decide(request).effect !== decision;
  const found = seek(both(condition.holds, decision === 'allow' ? negated(allows) : allows), isBroken, budget);
  if (found === 'none') return { proved: true, exhaustive: true };
  if (found === 'undecided') return { proved: undefined, exhaustive: false };
  return { proved: false, request: found, decision: engine.decide(found) };
}
