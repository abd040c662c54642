import { isConstantTerm, type Leaf, type Node, type Term } from '../condition/node.ts';
import type { AttributeRef, Scalar } from '../policy/policy.ts';
import { type Facts, factReader, timeOf } from './facts.ts';

/**
 * The next moment at which a condition that reads the clock could come out otherwise. `Infinity` when there is
 * none ahead.
 */
export type Flip = (facts: Facts, now: number) => number;

const QUARTER = 15 * 60_000;
const SECOND = 1_000;
/** Since then every zone has changed its hour on a quarter of an hour of UTC; offsets before had minutes and seconds. */
const QUARTERS_SINCE = Date.UTC(2020, 0);

/** What in a condition reads the clock: one flip for each reading. A predicate may read what it likes, at any time. */
export function flipsOf(node: Node): readonly Flip[] {
  switch (node.kind) {
    case 'and':
    case 'or':
      return node.nodes.flatMap(flipsOf);
    case 'not':
      return flipsOf(node.node);
    case 'predicate':
      return [() => 0];
    case 'present':
      return flipOf([node.attribute], () => Number.POSITIVE_INFINITY);
    case 'member':
      return flipOf([node.item, node.list], atEach(listIn(node)));
    case 'less':
      return flipOf(
        [node.left, node.right],
        isTime(node.left)
          ? atEach(node.right, { reached: true, passed: false })
          : atEach(node.left, { reached: false, passed: true }),
      );
    default:
      return flipOf([node.left, node.right], atEach(isTime(node.left) ? node.right : node.left));
  }
}

/** The earliest of the flips; 0 when nobody knows what time it is. */
export function nextFlip(flips: readonly Flip[], facts: Facts): number {
  const now = timeOf(facts);
  if (typeof now !== 'number' || !Number.isFinite(now)) return 0;
  let earliest = Number.POSITIVE_INFINITY;
  for (let i = 0; i < flips.length; i++) earliest = Math.min(earliest, (flips[i] as Flip)(facts, now));
  return earliest;
}

type Side = Term | { readonly values: readonly Scalar[] };

function flipOf(sides: readonly Side[], whenTime: Flip): readonly Flip[] {
  const attributes = sides.filter((side): side is AttributeRef => 'attr' in side);
  if (attributes.some(({ attr }) => attr === 'environment.hour')) return [nextHourChange];
  return attributes.some(isTime) ? [whenTime] : [];
}

/**
 * The hour changes with a full hour or with the offset of its zone; both are on a quarter of an hour.
 */
function nextHourChange(_: Facts, now: number): number {
  const step = now < QUARTERS_SINCE ? SECOND : QUARTER;
  return Math.floor(now / step) * step + step;
}

/** When a comparison of the time with a moment changes: as the moment is reached, right after it, or at both. */
interface Crossing {
  readonly reached: boolean;
  readonly passed: boolean;
}
const BOTH: Crossing = { reached: true, passed: true };

function atEach(other: Side, { reached, passed }: Crossing = BOTH): Flip {
  const read = readerOfSide(other);
  return (facts, now) => {
    let next = Number.POSITIVE_INFINITY;
    for (const moment of read(facts)) {
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

function readerOfSide(side: Side): (facts: Facts) => readonly unknown[] {
  if ('values' in side) return () => side.values;
  if (isConstantTerm(side)) return () => [side.value];
  const read = factReader(side);
  return (facts) => {
    const value = read(facts);
    return Array.isArray(value) ? value : [value];
  };
}

function listIn({ item, list }: Extract<Leaf, { kind: 'member' }>): Side {
  return isTime(item) ? list : item;
}

function isTime(side: Side): boolean {
  return 'attr' in side && side.attr === 'environment.time';
}
