import { describe, expect, it } from 'vitest';
import { showMutants } from './mutants.ts';

describe('X12 mutants that keep the structure of a token', () => {
  it('JWT-23 JWT-33 of 20,000 none is accepted, and every answer is a refusal with its reason', () => {
    expect(showMutants(20_000, 1)).toMatchObject({ mutants: 20_000, accepted: [], odd: [] });
  });
});
