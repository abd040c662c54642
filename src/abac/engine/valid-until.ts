import type { AccessRequest } from '../../core/index.ts';
import { readerOf } from '../condition/attribute.ts';
import { isConstantTerm, type Leaf, type Term } from '../condition/node.ts';
import { nextHourChange } from '../condition/zoned-hour.ts';
import type { AttributeRef, Scalar } from '../policy/policy.ts';

/**
 * The next moment at which a condition that reads the clock could come out otherwise. `Infinity` when there is
 * none ahead.
 */
export type Flip = (request: AccessRequest, now: number) => number;

/** When the clock could change what a leaf says, if it reads one. A predicate may read what it likes, at any time. */
export function flipOf(leaf: Leaf): Flip | undefined {
  switch (leaf.kind) {
    case 'predicate':
      return () => 0;
    case 'present':
      return flipAmong([leaf.attribute], () => Number.POSITIVE_INFINITY);
    case 'member':
      return flipAmong([leaf.item, leaf.list], atEach(listIn(leaf)));
    case 'less':
      return flipAmong(
        [leaf.left, leaf.right],
        isTime(leaf.left)
          ? atEach(leaf.right, { reached: true, passed: false })
          : atEach(leaf.left, { reached: false, passed: true }),
      );
    default:
      return flipAmong([leaf.left, leaf.right], atEach(isTime(leaf.left) ? leaf.right : leaf.left));
  }
}

/** The earlier of a flip that lies ahead and what was found before; 0 when nobody knows what time it is. */
export function earlier(
  flip: Flip,
  request: AccessRequest,
  now: unknown,
  before: number | undefined,
): number | undefined {
  if (typeof now !== 'number' || !Number.isFinite(now)) return 0;
  const next = flip(request, now);
  if (before !== undefined && before <= next) return before;
  return next === Number.POSITIVE_INFINITY ? undefined : next;
}

type Side = Term | { readonly values: readonly Scalar[] };

function flipAmong(sides: readonly Side[], whenTime: Flip): Flip | undefined {
  const attributes = sides.filter((side): side is AttributeRef => 'attr' in side);
  const [readsHour, readsTime] = [attributes.some(({ attr }) => attr === 'environment.hour'), attributes.some(isTime)];
  if (readsHour) return readsTime ? never : atNextHour;
  return readsTime ? whenTime : undefined;
}

const atNextHour: Flip = (_, now) => nextHourChange(now);
/** The time against an hour of the day: nothing that anybody means. */
const never: Flip = () => 0;

/** When a comparison of the time with a moment changes: as the moment is reached, right after it, or at both. */
interface Crossing {
  readonly reached: boolean;
  readonly passed: boolean;
}
const BOTH: Crossing = { reached: true, passed: true };

function atEach(other: Side, { reached, passed }: Crossing = BOTH): Flip {
  const read = readerOfSide(other);
  return (request, now) => {
    let next = Number.POSITIVE_INFINITY;
    for (const moment of read(request)) {
      if (typeof moment !== 'number') continue;
      if (reached && moment > now) next = Math.min(next, moment);
      if (passed && moment >= Math.floor(now)) next = Math.min(next, momentAfter(moment, now));
    }
    return next;
  };
}

/** A clock of whole milliseconds passes a moment a millisecond later, any other one at once. */
function momentAfter(moment: number, now: number): number {
  return Number.isInteger(now) ? Math.floor(moment) + 1 : Math.max(moment, now);
}

function readerOfSide(side: Side): (request: AccessRequest) => readonly unknown[] {
  if ('values' in side) return () => side.values;
  if (isConstantTerm(side)) return () => [side.value];
  const read = readerOf(side.attr, side.timeZone);
  return (request) => {
    const value = read(request);
    return Array.isArray(value) ? value : [value];
  };
}

function listIn({ item, list }: Extract<Leaf, { kind: 'member' }>): Side {
  return isTime(item) ? list : item;
}

function isTime(side: Side): boolean {
  return 'attr' in side && side.attr === 'environment.time';
}
