import { randomInt } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { showMutants } from './mutants.ts';

const runs = Number(process.env.FUZZ_RUNS ?? 1_000_000);
const seed = Number(process.env.FUZZ_SEED ?? randomInt(2 ** 31));

describe('X12 mutants that keep the structure of a token', () => {
  it(`JWT-23 JWT-33 DOS-04 of ${runs} none is accepted (seed ${seed})`, { timeout: 1_800_000 }, () => {
    const { meanMicroseconds, ...result } = showMutants(runs, seed);
    console.log(`${runs} mutants of seed ${seed}: ${meanMicroseconds.toFixed(1)} µs each`);
    expect(result).toEqual({ mutants: runs, accepted: [], odd: [] });
  });
});
