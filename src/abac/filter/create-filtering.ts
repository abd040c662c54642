import { configInvalid } from '../../core/config-invalid.ts';
import type { AccessRequest, Effect } from '../../core/index.ts';
import { ownProperty } from '../../core/own-property.ts';
import { combined, type RuleFormula } from '../condition/allowed-when.ts';
import { ALWAYS, type Formula, NEVER } from '../condition/formula.ts';
import { lowerRule } from '../condition/lower.ts';
import type { Leaf, Node } from '../condition/node.ts';
import type { Policy } from '../policy/policy.ts';
import { type Clock, clockOf, quiet } from './clock.ts';
import type { Filter, ResourceQuery } from './filter.ts';
import { type Residual, residualOf } from './residual.ts';

/** What a policy says of all resources of a type at once. */
export interface Filtering {
  /** @throws `CONFIG_INVALID` when the answer hangs on an opaque predicate. */
  readonly filter: (query: ResourceQuery) => Filter;
  /** Whether any resource could be allowed. It may say yes too often, and never no wrongly. */
  readonly mightAllow: (query: ResourceQuery) => boolean;
}

interface FilterRule {
  readonly effect: Effect;
  readonly residual: Residual;
  readonly clock: Clock | undefined;
}

/** Prepares a policy, once, for questions that name no single resource. The policy has been parsed. */
export function createFiltering(policy: Policy, revision: string): Filtering {
  const ruleIds = new Map<Leaf, string>();
  const rules = policy.rules.map((rule): FilterRule => {
    const node = lowerRule(rule);
    for (const leaf of predicatesOf(node)) ruleIds.set(leaf, rule.id);
    return { effect: rule.effect, residual: residualOf(quiet(rule.effect, node)), clock: clockOf(rule.effect, node) };
  });
  const answer = (query: ResourceQuery): { formula: Formula; until: number } => {
    const request: AccessRequest = { ...query, resource: { type: typeIn(query), attributes: {} } };
    const open: RuleFormula[] = [];
    let until = Number.POSITIVE_INFINITY;
    for (const { effect, residual, clock } of rules) {
      const formula = residual(request);
      const [silent, fires] = effect === 'allow' ? [NEVER, ALWAYS] : [ALWAYS, NEVER];
      if (clock !== undefined) until = Math.min(until, clock(request));
      if (formula !== silent) open.push({ effect, formula });
      if (formula === fires && policy.combining === 'first-match') break;
    }
    return { formula: combined(policy.combining, open), until };
  };
  return {
    filter: (query) => {
      const { formula, until } = answer(query);
      refusePredicates(formula, ruleIds);
      const about = { resourceType: typeIn(query), revision, ...(Number.isFinite(until) && { validUntil: until }) };
      if (formula === ALWAYS) return { kind: 'all', ...about };
      return formula === NEVER ? { kind: 'none', ...about } : { kind: 'some', formula, ...about };
    },
    mightAllow: (query) => answer(query).formula !== NEVER,
  };
}

function typeIn({ resource }: ResourceQuery): string {
  return ownProperty(resource, 'type') as string;
}

function predicatesOf(node: Node): readonly Leaf[] {
  switch (node.kind) {
    case 'and':
    case 'or':
      return node.nodes.flatMap(predicatesOf);
    case 'not':
      return predicatesOf(node.node);
    default:
      return node.kind === 'predicate' ? [node] : [];
  }
}

/** A function cannot be asked about rows that are still in a database, and its part cannot be left out either. */
function refusePredicates(formula: Formula, ruleIds: ReadonlyMap<Leaf, string>): void {
  if (formula.kind !== 'leaf') {
    for (const part of formula.formulas) refusePredicates(part, ruleIds);
  } else if (formula.leaf.kind === 'predicate') {
    const problem = `hangs on the predicate ${JSON.stringify(formula.leaf.name)}, which no filter can carry`;
    throw configInvalid(`rule ${JSON.stringify(ruleIds.get(formula.leaf))}`, problem);
  }
}
