import { configInvalid } from '../../core/config-invalid.ts';
import type { AccessRequest, DoorwardError } from '../../core/index.ts';
import { ownProperty } from '../../core/own-property.ts';
import { readerOf } from '../condition/attribute.ts';
import { ALWAYS, NEVER } from '../condition/formula.ts';
import type { AttributeRef, Policy } from '../policy/policy.ts';
import { isClock, standsUntil } from './clock.ts';
import type { Filter, ResourceQuery } from './filter.ts';
import { leavesOf, policyResidual } from './policy-residual.ts';

/** What a policy says of all resources of a type at once. */
export interface Filtering {
  /** @throws `CONFIG_INVALID` when the answer hangs on an opaque predicate. */
  readonly filter: (query: ResourceQuery) => Filter;
  /** Whether any resource could be allowed. It may say yes too often, and never no wrongly. */
  readonly mightAllow: (query: ResourceQuery) => boolean;
}

/** Prepares a policy, once, for questions that name no single resource. The policy has been parsed. */
export function createFiltering(policy: Policy, revision: string): Filtering {
  const residual = policyResidual(policy);
  const withoutClock = (request: AccessRequest) =>
    residual(request, (attribute) => isOfResource(attribute) || isClock(attribute));
  return {
    filter: (query) => {
      const request = requestOf(query);
      let readsClock = false;
      const formula = residual(request, (attribute) => {
        readsClock ||= isClock(attribute);
        return isOfResource(attribute);
      });
      if (leavesOf(formula).some(({ kind }) => kind === 'predicate')) throw refusedPredicate(policy, request);
      const until = readsClock ? standsUntil(withoutClock(request), readTime(request)) : Number.POSITIVE_INFINITY;
      const { type: resourceType } = request.resource;
      const about = { resourceType, revision, ...(Number.isFinite(until) && { validUntil: until }) };
      if (formula === ALWAYS) return { kind: 'all', ...about };
      return formula === NEVER ? { kind: 'none', ...about } : { kind: 'some', formula, ...about };
    },
    mightAllow: (query) => residual(requestOf(query), isOfResource) !== NEVER,
  };
}

const readTime = readerOf('environment.time');

/** Nothing of a resource but its type is read. */
function requestOf(query: ResourceQuery): AccessRequest {
  return { ...query, resource: { type: ownProperty(query.resource, 'type') as string, attributes: {} } };
}

function isOfResource({ attr }: AttributeRef): boolean {
  return attr.startsWith('resource.') && attr !== 'resource.type';
}

/** A function cannot be asked about rows that are still in a database, and its part cannot be left out either. */
function refusedPredicate(policy: Policy, request: AccessRequest): DoorwardError | undefined {
  for (const rule of policy.rules) {
    const leaves = leavesOf(policyResidual({ ...policy, rules: [rule] })(request, isOfResource));
    const predicate = leaves.find((leaf) => leaf.kind === 'predicate');
    if (predicate === undefined) continue;
    const problem = `hangs on the predicate ${JSON.stringify(predicate.name)}, which no filter can carry`;
    return configInvalid(`rule ${JSON.stringify(rule.id)}`, problem);
  }
  return undefined;
}
