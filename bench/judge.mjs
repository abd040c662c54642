import { pairedRatio } from './stats.mjs';

/**
 * The paired ratio of one figure between two contestants, and whether the goal's bound holds for its median.
 * @param {{ row: string, figure: string, ratio: [string, string], atLeast?: number, atMost?: number }} goal
 * @param {ReadonlyMap<string, readonly Record<string, number>[]>} figures rounds by contestant
 */
export function judge({ row, figure, ratio: [numerator, denominator], atLeast, atMost }, figures) {
  const of = (contestant) => figures.get(contestant).map((round) => round[figure]);
  const ratio = pairedRatio(of(numerator), of(denominator));
  const bound = atLeast === undefined ? { atMost } : { atLeast };
  const met = atLeast === undefined ? ratio.median <= atMost : ratio.median >= atLeast;
  return { row, figure, numerator, denominator, ratio, ...bound, met };
}
