import type { StoreCase } from 'doorward/testing';
import { describe, it } from 'vitest';

/** Hands the cases of the conformance kit to vitest. */
export function runCases(name: string, cases: readonly StoreCase[]): void {
  describe(name, () => {
    for (const { name, run } of cases) it(name, run);
  });
}
