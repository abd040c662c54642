/** One number for every way in which a number can stand to constants. */
export interface Numbers {
  readonly numbers: readonly number[];
  /** Nothing was found beside a constant, where there may be room for a number all the same. */
  readonly isTight: boolean;
}

/**
 * The constants and a number between any two neighbours, below and above. Numbers are dense, so whichever is
 * taken between two others leaves room on both sides for those that are chosen after it.
 */
export function numbersAround(constants: ReadonlySet<number>): Numbers {
  const points = [...constants].sort((a, b) => a - b);
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined) return { numbers: [0], isTight: false };
  const between = points.slice(1).map((upper, index) => middle(points[index] ?? upper, upper));
  const found = [...between, ...below(first), ...above(last)];
  return {
    numbers: [...points, ...found.filter((number) => number !== undefined)],
    isTight: found.includes(undefined),
  };
}

/** Never the least number there is: nothing could be chosen below it later. Where that is a constant, nothing is. */
function below(least: number): readonly (number | undefined)[] {
  if (least === -Number.MAX_VALUE) return [];
  return [least - 1 < least ? least - 1 : middle(-Number.MAX_VALUE, least)];
}

function above(greatest: number): readonly (number | undefined)[] {
  return below(-greatest).map((number) => (number === undefined ? number : 0 - number));
}

function middle(lower: number, upper: number): number | undefined {
  const whole = Math.floor(lower) + 1;
  if (lower < whole && whole < upper) return whole;
  const half = lower / 2 + upper / 2;
  return lower < half && half < upper ? half : undefined;
}

/** One number that is none of the constants. */
export function otherNumber(constants: ReadonlySet<number>): number {
  let number = 1;
  while (constants.has(number)) number++;
  return number;
}
