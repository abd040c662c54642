import type { Decision, Environment, MaybePromise, Principal } from '../../core/index.ts';
import { together } from '../../core/maybe-promise.ts';
import type { FieldPlan, SchemaPlan } from '../compile/plan.ts';
import type { Call } from '../decide/call.ts';
import type { Enforcer } from '../enforce/enforcer.ts';
import type { Rule } from '../rules/rule.ts';
import { principalLeaves } from './forecast.ts';

/** The conditions on the principal and the moment that stand in these rules, each once, in a stable order. */
export function leavesOf(rules: Iterable<Rule>): readonly Rule[] {
  const leaves = new Set<Rule>();
  for (const rule of new Set(rules)) for (const leaf of principalLeaves(rule)) leaves.add(leaf);
  return [...leaves].sort((a, b) => a.index - b.index);
}

/** The rules on entering objects, and on values that are given. */
export function rulesBesideFields({ objects, inputTypes }: SchemaPlan): readonly Rule[] {
  return [
    ...[...objects.values()].flatMap((object) => [object?.gate, object?.stepUp]),
    ...[...inputTypes.values()].flatMap(({ rules, fields }) => [...rules, ...fields.flatMap((field) => field.rules)]),
  ].filter((rule) => rule !== undefined);
}

/** All rules of a field. */
export function rulesOfField({ gate, stepUp, before, after, input }: FieldPlan): readonly Rule[] {
  return [
    ...[gate, stepUp].filter((rule) => rule !== undefined),
    ...[...before, ...after].map(({ rule }) => rule),
    ...input.flatMap(({ rules }) => rules),
  ];
}

/** Decides conditions as the guards do, without publishing a decision: nothing was asked for yet. */
export function decideLeaves(
  { evaluator }: Enforcer,
  leaves: readonly Rule[],
  principal: Principal,
  environment: () => Environment,
): MaybePromise<readonly Decision[]> {
  const auth = { principal, environment };
  const call: Call = { coordinate: 'schema', principal, auth, context: { auth }, args: {}, parent: undefined };
  return together(leaves.map((leaf) => evaluator.consider(leaf, call, { resource: undefined })));
}
