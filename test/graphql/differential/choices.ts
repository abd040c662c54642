/** A sequence of choices. Numbers decide them, and 0, which also stands for what is missing, is the simplest choice. */
export interface Choices {
  /** A whole number from 0 to `bound - 1`. */
  below(bound: number): number;
  /** Whether something happens that happens in so many of a hundred cases. */
  chance(percent: number): boolean;
  of<T>(list: readonly T[]): T;
  /** Each item with the given chance, in order. */
  some<T>(list: readonly T[], percent: number): T[];
}

export const CHOICE_BOUND = 10_000;

/** Makes choices of numbers below {@link CHOICE_BOUND}: fewer and smaller numbers make simpler cases, so cases shrink. */
export function choices(numbers: readonly number[]): Choices {
  let next = 0;
  const draw = (): number => numbers[next++] ?? 0;
  const self: Choices = {
    below: (bound) => draw() % bound,
    chance: (percent) => draw() % 100 >= 100 - percent,
    of<T>(list: readonly T[]): T {
      return list[self.below(list.length)] as T;
    },
    some: (list, percent) => list.filter(() => self.chance(percent)),
  };
  return self;
}
