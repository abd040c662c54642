import { pairedRatio } from './stats.mjs';

/**
 * The paired ratio of one figure between two contestants, or over another figure (`over`), and whether the goal's bound holds for its median.
 * A `stretch` is a bound of the same kind that is wished for: reached or not, it decides nothing.
 * @param {{ row: string, figure: string, over?: string, ratio: [string, string], atLeast?: number, atMost?: number, stretch?: number }} goal
 * @param {ReadonlyMap<string, readonly Record<string, number>[]>} figures rounds by contestant
 */
export function judge({ row, figure, over, ratio: [numerator, denominator], atLeast, atMost, stretch }, figures) {
  const of = (contestant, name) => figures.get(contestant).map((round) => round[name]);
  const ratio = pairedRatio(of(numerator, figure), of(denominator, over ?? figure));
  const holds = (bound) => (atLeast === undefined ? ratio.median <= bound : ratio.median >= bound);
  return {
    row,
    figure,
    ...(over !== undefined && { over }),
    numerator,
    denominator,
    ratio,
    ...(atLeast === undefined ? { atMost } : { atLeast }),
    met: holds(atLeast ?? atMost),
    ...(stretch !== undefined && { stretch, reached: holds(stretch) }),
  };
}
