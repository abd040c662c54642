import { timingSafeEqual } from 'node:crypto';
import { generateSync } from 'otplib';

/** The time step of RFC 6238 section 4.1, in milliseconds. */
export const STEP_MS = 30_000;

/** Reads a code of six ASCII digits; apps show them in two groups, so one space may stand in the middle. */
export function readCode(typed: string): string | undefined {
  const [, first, second] = /^([0-9]{3}) ?([0-9]{3})$/.exec(typed) ?? [];
  return first === undefined || second === undefined ? undefined : first + second;
}

/**
 * Finds the time step whose code was typed, at most `driftSteps` away from now. It compares with every
 * one of them in constant time, so that nothing tells how close a guess was.
 */
export function matchingStep(secret: Uint8Array, code: string, now: number, driftSteps: number): number | undefined {
  const current = Math.floor(now / STEP_MS);
  const typed = Buffer.from(code);
  let found: number | undefined;
  for (let step = Math.max(0, current - driftSteps); step <= current + driftSteps; step++) {
    const expected = generateSync({ secret, epoch: (step * STEP_MS) / 1_000 });
    if (timingSafeEqual(Buffer.from(expected), typed)) found = step;
  }
  return found;
}
