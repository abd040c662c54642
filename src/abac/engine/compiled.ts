import type { AccessRequest } from '../../core/index.ts';
import type { CompiledOperand } from './operand.ts';

/** What a condition came out as; `undefined` is unknown (Kleene's three-valued logic). */
export type Outcome = boolean | undefined;

/** A condition made ready to be asked many times. */
export interface Compiled {
  readonly test: (request: AccessRequest) => Outcome;
  /**
   * Names the comparisons that settled the outcome, with their values. `wanted` is the outcome that
   * helps the rule to fire: a comparison that came out otherwise says what it wanted.
   */
  readonly explain: (request: AccessRequest, wanted: boolean) => string;
}

/** A condition that compares two operands and contains no other. */
export function leaf(left: CompiledOperand, sign: string, right: CompiledOperand, test: Compiled['test']): Compiled {
  const explain = (request: AccessRequest, wanted: boolean): string => {
    if (test(request) !== wanted) {
      return `${left.explain(request)} (wants ${wanted ? '' : 'not '}${sign}${right.explain(request)})`;
    }
    const attributes = [left, right].filter((operand) => operand.isAttribute);
    return attributes.map((operand) => operand.explain(request)).join(', ');
  };
  return { test, explain };
}
