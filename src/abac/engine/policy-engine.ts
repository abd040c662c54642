import type { AccessRequest, Decision, RuleTrace, SyncPolicyDecisionPoint } from '../../core/index.ts';
import { parsePolicy } from '../policy/parse-policy.ts';
import type { Policy, PolicyRule } from '../policy/policy.ts';
import { revisionOf } from '../policy/revision.ts';
import { compile } from './compile.ts';
import type { Compiled } from './compiled.ts';

/** A policy made ready to decide. */
export interface PolicyEngine extends SyncPolicyDecisionPoint {
  readonly policy: Policy;
  /** Names exactly this policy text; every decision carries it. */
  readonly revision: string;
}

interface CompiledRule extends Compiled, PolicyRule {}

/**
 * Compiles a policy into a decision point. The first rule that fires decides: an allow rule whose
 * condition is true, or a deny rule whose condition is not known to be false. If none fires, the
 * policy denies. A decision's `trace()` says what every rule made of the request.
 *
 * @throws `CONFIG_INVALID` when the policy is not valid; see {@link parsePolicy}.
 * @example
 * const engine = createPolicyEngine(policy('documents', [rule.allow('owner', owner())]));
 * engine.decide(request).allowed;
 */
export function createPolicyEngine(policy: Policy): PolicyEngine {
  const parsed = parsePolicy(policy);
  const revision = revisionOf(parsed);
  const rules: readonly CompiledRule[] = parsed.rules.map((rule) => ({
    ...rule,
    ...compile(rule.when === 'always' ? { and: [] } : rule.when),
  }));

  const decide = (request: AccessRequest): Decision => {
    const trace = () => ({ rules: rules.map((rule) => traceOf(rule, request)) });
    for (const { id, effect, test } of rules) {
      if (effect === 'allow') {
        if (test(request) === true) return { allowed: true, effect, reason: 'rule', ruleId: id, revision, trace };
      } else if (test(request) !== false) {
        return { allowed: false, effect, reason: 'rule', ruleId: id, revision, trace };
      }
    }
    return { allowed: false, effect: 'deny', reason: 'no_rule', revision, trace };
  };
  return Object.freeze({ policy: parsed, revision, decide });
}

function traceOf({ id, effect, test, explain }: CompiledRule, request: AccessRequest): RuleTrace {
  const outcome = test(request);
  return {
    ruleId: id,
    effect,
    outcome: outcome === undefined ? 'unknown' : outcome ? 'match' : 'no_match',
    detail: explain(request, true),
  };
}
