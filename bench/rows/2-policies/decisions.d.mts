interface Contestant {
  readonly questions: readonly unknown[];
  readonly isAsync?: boolean;
  readonly decide: (question: never) => boolean | Promise<boolean>;
}
interface Timing {
  readonly warmUpMs: number;
  readonly measureMs: number;
}
export declare function answers(
  contestant: Contestant,
  expected: readonly boolean[],
): Promise<{ readonly allowed: number; readonly asked: number }>;
export declare function costOfDecision(
  contestant: Contestant,
  timing: Timing,
): Promise<{ readonly cpuUs: number; readonly wallUs: number }>;
