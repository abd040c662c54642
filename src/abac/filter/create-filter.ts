import { configInvalid } from '../../core/config-invalid.ts';
import type { AccessRequest } from '../../core/index.ts';
import { ownProperty } from '../../core/own-property.ts';
import { combined } from '../condition/allowed-when.ts';
import { ALWAYS, type Formula, isFalse, isTrue, NEVER } from '../condition/formula.ts';
import { lowerRule } from '../condition/lower.ts';
import type { Leaf, Node } from '../condition/node.ts';
import type { Policy } from '../policy/policy.ts';
import { revisionOf } from '../policy/revision.ts';
import type { Filter, ResourceQuery } from './filter.ts';
import { residualOf } from './residual.ts';

/** What a policy says of all resources of a type at once. */
export interface Filtering {
  /** @throws `CONFIG_INVALID` when the answer hangs on an opaque predicate. */
  readonly filter: (query: ResourceQuery) => Filter;
  /** Whether any resource could be allowed. It may say yes too often, and never no wrongly. */
  readonly mightAllow: (query: ResourceQuery) => boolean;
}

/** Prepares a policy, once, for questions that name no single resource. The policy has been parsed. */
export function createFiltering(policy: Policy, revision: string): Filtering {
  const owners = new Map<Leaf, string>();
  const rules = policy.rules.map((rule) => {
    const node = lowerRule(rule);
    for (const leaf of predicatesOf(node)) owners.set(leaf, rule.id);
    return { effect: rule.effect, residual: residualOf(rule.effect === 'allow' ? isTrue(node) : isFalse(node)) };
  });
  const answer = (query: ResourceQuery): Formula => {
    const request: AccessRequest = { ...query, resource: { type: typeIn(query), attributes: {} } };
    const settled: { effect: 'allow' | 'deny'; formula: Formula }[] = [];
    for (const { effect, residual } of rules) {
      const formula = residual(request);
      const [silent, fires] = effect === 'allow' ? [NEVER, ALWAYS] : [ALWAYS, NEVER];
      if (formula !== silent) settled.push({ effect, formula });
      if (formula === fires && policy.combining === 'first-match') break;
    }
    return combined(policy.combining, settled);
  };
  return {
    filter: (query) => {
      const formula = answer(query);
      refusePredicates(formula, owners);
      const about = { resourceType: typeIn(query), revision };
      if (formula === ALWAYS) return { kind: 'all', ...about };
      return formula === NEVER ? { kind: 'none', ...about } : { kind: 'some', formula, ...about };
    },
    mightAllow: (query) => answer(query) !== NEVER,
  };
}

/** Partially evaluates a parsed policy: see {@link createFiltering}. */
export function createFilter(policy: Policy): Filtering['filter'] {
  return createFiltering(policy, revisionOf(policy)).filter;
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
function refusePredicates(formula: Formula, owners: ReadonlyMap<Leaf, string>): void {
  if (formula.kind !== 'leaf') {
    for (const part of formula.formulas) refusePredicates(part, owners);
  } else if (formula.leaf.kind === 'predicate') {
    const problem = `hangs on the predicate ${JSON.stringify(formula.leaf.name)}, which no filter can carry`;
    throw configInvalid(`rule ${JSON.stringify(owners.get(formula.leaf))}`, problem);
  }
}
