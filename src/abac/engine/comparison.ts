import { isScalar } from '../condition/value.ts';
import type { Operand, Scalar } from '../policy/policy.ts';
import { type Compiled, leaf, type Outcome } from './compiled.ts';
import { compileOperand } from './operand.ts';

/** An operator between two known values: how a trace writes it, and whether it holds. */
interface Operator {
  readonly sign: string;
  /** Unknown when the operator has nothing to say about values of these types. */
  readonly holds: (left: Scalar, right: Scalar) => Outcome;
}

export const equal: Operator = { sign: '', holds: (left, right) => left === right };
export const less: Operator = ordering('< ', (left, right) => left < right);
export const lessOrEqual: Operator = ordering('<= ', (left, right) => left <= right);
export const greater: Operator = ordering('> ', (left, right) => left > right);
export const greaterOrEqual: Operator = ordering('>= ', (left, right) => left >= right);
export const starting: Operator = affix('a start with ', (left, right) => left.startsWith(right));
export const ending: Operator = affix('an end with ', (left, right) => left.endsWith(right));

/**
 * Compares two operands. A value that is no scalar makes the comparison unknown. Between two
 * attributes so does an empty text, or whoever has no id would own whatever has no owner.
 */
export function comparison({ sign, holds }: Operator, pair: readonly [Operand, Operand]): Compiled {
  const [left, right] = [compileOperand(pair[0]), compileOperand(pair[1])];
  const constant = pair[1];
  if (typeof constant !== 'object') {
    return leaf(left, sign, right, (request) => {
      const value = left.read(request);
      return isScalar(value) ? holds(value, constant) : undefined;
    });
  }
  const emptyIsUnknown = left.isAttribute;
  return leaf(left, sign, right, (request) => {
    const a = left.read(request);
    const b = right.read(request);
    if (!isScalar(a) || !isScalar(b)) return undefined;
    return emptyIsUnknown && (a === '' || b === '') ? undefined : holds(a, b);
  });
}

function ordering(sign: string, holds: (left: Scalar, right: Scalar) => boolean): Operator {
  return {
    sign,
    holds: (left, right) =>
      typeof left === typeof right && typeof left !== 'boolean' ? holds(left, right) : undefined,
  };
}

function affix(sign: string, holds: (left: string, right: string) => boolean): Operator {
  return {
    sign,
    holds: (left, right) => (typeof left === 'string' && typeof right === 'string' ? holds(left, right) : undefined),
  };
}
