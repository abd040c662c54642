import type { Formula } from '../condition/formula.ts';
import { attributesOf, type Leaf } from '../condition/node.ts';
import { nextHourChange } from '../condition/zoned-hour.ts';
import type { AttributeRef } from '../policy/policy.ts';
import { leavesOf } from './policy-residual.ts';

/** Whether an attribute moves with time alone. */
export function isClock({ attr }: AttributeRef): boolean {
  return attr === 'environment.time' || attr === 'environment.hour';
}

/**
 * Epoch milliseconds until which no condition in a formula, in which the clock is open, changes as time goes on;
 * `Infinity` when none reads the clock, and 0 when nobody knows what time it is.
 */
export function standsUntil(formula: Formula, now: unknown): number {
  const clocked = leavesOf(formula).filter((leaf) => attributesOf(leaf).some(isClock));
  if (clocked.length === 0) return Number.POSITIVE_INFINITY;
  if (typeof now !== 'number' || !Number.isFinite(now)) return 0;
  return clocked.reduce((earliest, leaf) => Math.min(earliest, leafStandsUntil(leaf, now)), Number.POSITIVE_INFINITY);
}

function leafStandsUntil(leaf: Leaf, now: number): number {
  const paths = attributesOf(leaf).map(({ attr }) => attr);
  if (!paths.includes('environment.time')) return nextHourChange(now);
  // The filter then holds the time itself, and that is another one at every moment.
  if (paths.length > 1) return 0;
  return constantsOf(leaf).reduce(
    (earliest, moment) => Math.min(earliest, nextCrossing(moment, now)),
    Number.POSITIVE_INFINITY,
  );
}

/** A clock of whole milliseconds passes the moment it has reached a millisecond later, any other one at once. */
function nextCrossing(moment: number, now: number): number {
  if (moment !== now) return moment > now ? moment : Number.POSITIVE_INFINITY;
  return Number.isInteger(now) ? now + 1 : now;
}

function constantsOf(leaf: Leaf): readonly number[] {
  if (leaf.kind === 'predicate' || leaf.kind === 'present') return [];
  const sides = leaf.kind === 'member' ? [leaf.item, leaf.list] : [leaf.left, leaf.right];
  const values = sides.flatMap((side) => ('value' in side ? [side.value] : 'values' in side ? side.values : []));
  return values.filter((value) => typeof value === 'number');
}
