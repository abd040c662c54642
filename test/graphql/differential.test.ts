import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compareCase, type Tally } from './differential/differential.ts';
import { seeds } from './differential/seeds.ts';

test('what a protected schema answers is what the schema answers without what is denied', {
  timeout: 240_000,
}, async () => {
  const tally: Tally = new Map();
  await fc.assert(
    fc.asyncProperty(seeds, (numbers) => compareCase(numbers, tally)),
    { numRuns: 75, seed: 3 },
  );
  // Cases without anything to deny, or with nothing left, would tell nothing.
  const least = { documents: 300, denied: 50, whole: 30, changed: 50, mutations: 20, NULL: 1, 'RESULT FILTER': 1 };
  for (const [what, count] of Object.entries({ ...least, 'places in the map': 100 })) {
    expect(tally.get(what) ?? 0, what).toBeGreaterThanOrEqual(count);
  }
});
