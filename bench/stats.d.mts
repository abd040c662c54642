export interface Summary {
  readonly p10: number;
  readonly median: number;
  readonly p90: number;
}
export declare function percentile(values: readonly number[], p: number): number;
export declare function summary(values: readonly number[]): Summary;
export declare function pairedRatio(numerators: readonly number[], denominators: readonly number[]): Summary;
