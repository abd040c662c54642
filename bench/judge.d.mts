import type { Summary } from './stats.mjs';

export interface Goal {
  readonly row?: string;
  readonly figure: string;
  readonly over?: string;
  readonly ratio: readonly [numerator: string, denominator: string];
  readonly atLeast?: number;
  readonly atMost?: number;
  readonly stretch?: number;
}
export interface Verdict extends Omit<Goal, 'ratio'> {
  readonly numerator: string;
  readonly denominator: string;
  readonly ratio: Summary;
  readonly met: boolean;
  readonly reached?: boolean;
}
export declare function judge(
  goal: Goal,
  figures: ReadonlyMap<string, readonly Readonly<Record<string, number>>[]>,
): Verdict;
