import { configInvalid } from '../../core/config-invalid.ts';
import type { AccessRequest, Effect } from '../../core/index.ts';
import { allowedWhen } from '../condition/allowed-when.ts';
import { isFalse, isTrue } from '../condition/formula.ts';
import { lowerRule } from '../condition/lower.ts';
import type { Node } from '../condition/node.ts';
import { createPolicyEngine, type PolicyEngine } from '../engine/policy-engine.ts';
import { parsePolicy } from '../policy/parse-policy.ts';
import type { Policy, PolicyRule } from '../policy/policy.ts';
import { type Goal, goalOf, negated } from './goal.ts';

/** A rule as goals, and as the engine itself sees it. */
export interface RuleMatter {
  readonly id: string;
  readonly effect: Effect;
  /** It asks for nothing, and says so. */
  readonly isPlain: boolean;
  /** Its condition is true. */
  readonly holds: Goal;
  /** It does what it is there for: a deny rule does so unless its condition is false. */
  readonly fires: Goal;
  doesHold(request: AccessRequest): boolean;
  doesFire(request: AccessRequest): boolean;
}

/** A policy as the analysis sees it. */
export interface PolicyMatter {
  readonly policy: Policy;
  readonly engine: PolicyEngine;
  readonly allows: Goal;
  readonly rules: readonly RuleMatter[];
}

/** @throws `CONFIG_INVALID` when the policy is not valid or has a predicate. */
export function matterOf(policy: Policy): PolicyMatter {
  const parsed = parsePolicy(policy);
  for (const rule of parsed.rules) refusePredicates(rule, lowerRule(rule));
  const engine = createPolicyEngine(parsed);
  const { combining, rules } = engine.policy;
  const lowered = rules.map((rule) => ({ effect: rule.effect, node: lowerRule(rule) }));
  return {
    policy: engine.policy,
    engine,
    allows: goalOf(allowedWhen(combining, lowered)),
    rules: rules.map(ruleMatter),
  };
}

function ruleMatter(rule: PolicyRule): RuleMatter {
  const node = lowerRule(rule);
  const holds = goalOf(isTrue(node));
  const [asAllow, asIs] = [alone({ ...rule, effect: 'allow' }), alone(rule)];
  return {
    id: rule.id,
    effect: rule.effect,
    isPlain: rule.when === 'always' && rule.resources === undefined && rule.actions === undefined,
    holds,
    fires: rule.effect === 'allow' ? holds : negated(goalOf(isFalse(node))),
    doesHold: (request) => asAllow.decide(request).ruleId !== undefined,
    doesFire: (request) => asIs.decide(request).ruleId !== undefined,
  };
}

function alone(rule: PolicyRule): PolicyEngine {
  return createPolicyEngine({ name: 'rule', combining: 'first-match', rules: [rule] });
}

function refusePredicates(rule: PolicyRule, node: Node): void {
  if (node.kind === 'predicate') {
    throw configInvalid(`rules.${rule.id}`, `has the predicate ${JSON.stringify(node.name)}, which cannot be analysed`);
  }
  if (node.kind === 'not') refusePredicates(rule, node.node);
  if (node.kind === 'and' || node.kind === 'or') for (const part of node.nodes) refusePredicates(rule, part);
}
