/**
 * The value below which the share `p` (0..1) of the values lies, interpolated between neighbours.
 * @param {readonly number[]} values
 * @param {number} p
 */
export function percentile(values, p) {
  if (values.length === 0) throw new RangeError('no values');
  const sorted = values.toSorted((a, b) => a - b);
  const position = p * (sorted.length - 1);
  const below = Math.floor(position);
  const above = Math.ceil(position);
  return sorted[below] + (sorted[above] - sorted[below]) * (position - below);
}

/** Median, and the range from the 10th to the 90th percentile. */
export function summary(values) {
  return { p10: percentile(values, 0.1), median: percentile(values, 0.5), p90: percentile(values, 0.9) };
}

/**
 * Divides round by round, then summarises: what slows one round slows both of its sides.
 * The median of the quotients is not the quotient of the medians.
 */
export function pairedRatio(numerators, denominators) {
  if (numerators.length !== denominators.length) throw new RangeError('rounds are not paired');
  return summary(numerators.map((value, round) => value / denominators[round]));
}
