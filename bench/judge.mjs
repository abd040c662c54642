import { pairedRatio } from './stats.mjs';

/**
 * The paired ratio of one figure between two contestants, or over another figure (`over`), and whether the goal's bound holds for its median.
 * @param {{ row: string, figure: string, over?: string, ratio: [string, string], atLeast?: number, atMost?: number }} goal
 * @param {ReadonlyMap<string, readonly Record<string, number>[]>} figures rounds by contestant
 */
export function judge({ row, figure, over, ratio: [numerator, denominator], atLeast, atMost }, figures) {
  const of = (contestant, name) => figures.get(contestant).map((round) => round[name]);
  const ratio = pairedRatio(of(numerator, figure), of(denominator, over ?? figure));
  const bound = atLeast === undefined ? { atMost } : { atLeast };
  const met = atLeast === undefined ? ratio.median <= atMost : ratio.median >= atLeast;
  return { row, figure, ...(over !== undefined && { over }), numerator, denominator, ratio, ...bound, met };
}
