import type { AccessRequest, Decision } from '../../core/index.ts';
import type { Policy } from '../policy/policy.ts';
import { both, negated } from './goal.ts';
import { type AnalysisOptions, budgetOf } from './options.ts';
import { seek } from './search.ts';
import { matterOf } from './subject-matter.ts';

/**
 * Whether two policies answer alike. `same` is true only when that is proved for every request, and `undefined`
 * when the space was too large to exhaust and no difference was found in what was tried.
 */
export type PolicyDifference =
  | { readonly same: true; readonly exhaustive: true }
  | { readonly same: false; readonly request: AccessRequest; readonly a: Decision; readonly b: Decision }
  | { readonly same: undefined; readonly exhaustive: false };

/**
 * Seeks a request that one policy allows and the other denies. Which rule decides does not matter. What the request
 * leaves out does not matter either.
 *
 * @throws `CONFIG_INVALID` when a policy is not valid or has a predicate.
 * @example
 * const change = diff(contractPolicy, policy('documents', [rule.allow('owner', owner())]));
 * if (change.same === false) change.a.allowed; // true: an administrator, for example
 */
export function diff(a: Policy, b: Policy, options: AnalysisOptions = {}): PolicyDifference {
  const budget = budgetOf(options);
  const [left, right] = [matterOf(a), matterOf(b)];
  const differ = (request: AccessRequest): boolean =>
    left.engine.decide(request).allowed !== right.engine.decide(request).allowed;
  let same: true | undefined = true;
  for (const [allowing, denying] of [
    [left, right],
    [right, left],
  ] as const) {
    const found = seek(both(allowing.allows, negated(denying.allows)), differ, budget);
    if (found === 'undecided') same = undefined;
    else if (found !== 'none') {
      return { same: false, request: found, a: left.engine.decide(found), b: right.engine.decide(found) };
    }
  }
  return same ? { same, exhaustive: true } : { same, exhaustive: false };
}

/**
 * Tells whether two policies give the same answer to every request; `undefined` when that could not be settled.
 *
 * @throws `CONFIG_INVALID` when a policy is not valid or has a predicate.
 * @example
 * equivalent(contractPolicy, contractPolicy); // true
 */
export function equivalent(a: Policy, b: Policy, options: AnalysisOptions = {}): boolean | undefined {
  return diff(a, b, options).same;
}
