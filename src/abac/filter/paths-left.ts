import type { AccessRequest } from '../../core/index.ts';
import { attributesOf } from '../condition/node.ts';
import type { AttributePath, AttributeRef, Policy } from '../policy/policy.ts';
import { leavesOf, policyResidual } from './policy-residual.ts';

/**
 * Which of the open attributes the answer still hangs on: none when it is settled whatever they are, and all when a
 * predicate is left, which may read any. What the request has in the place of an open attribute is not read.
 */
export type PathsLeft = (request: AccessRequest, open: ReadonlySet<AttributePath>) => ReadonlySet<AttributePath>;

/** Prepares a policy for the question. The policy has been parsed. */
export function pathsLeft(policy: Policy): PathsLeft {
  const residual = policyResidual(policy);
  return (request, open) => {
    const leaves = leavesOf(residual(request, (attribute) => open.has(pathRead(attribute))));
    if (leaves.some(({ kind }) => kind === 'predicate')) return open;
    return new Set(leaves.flatMap(attributesOf).map(pathRead));
  };
}

/** The value that an attribute comes from: an hour in a time zone is counted from the time. */
function pathRead({ attr, timeZone }: AttributeRef): AttributePath {
  return timeZone === undefined ? attr : 'environment.time';
}
