import fc from 'fast-check';
import { CHOICE_BOUND, type Seeds } from './differential.ts';

const numbers = (most: number): fc.Arbitrary<number[]> =>
  fc.noBias(fc.array(fc.nat(CHOICE_BOUND - 1), { minLength: 0, maxLength: most, size: 'max' }));

/** Cases of several documents; fewer and smaller numbers are simpler cases, which is how fast-check shrinks them. */
export const seeds: fc.Arbitrary<Seeds> = fc.record({
  structure: numbers(400),
  rules: numbers(900),
  documents: fc.array(numbers(500), { minLength: 1, maxLength: 9, size: 'max' }),
  callers: numbers(20),
});
