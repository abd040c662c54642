/** Writes a duration in the largest unit that divides it: 1800 is "30m", 90 is "90s". */
export function durationText(seconds: number): string {
  if (seconds % 3_600 === 0) return `${seconds / 3_600}h`;
  return seconds % 60 === 0 ? `${seconds / 60}m` : `${seconds}s`;
}
