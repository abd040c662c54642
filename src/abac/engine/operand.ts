import type { AccessRequest } from '../../core/index.ts';
import { type Reader, readerOf } from '../condition/attribute.ts';
import { show } from '../condition/value.ts';
import type { ListOperand, Operand } from '../policy/policy.ts';

/** An operand made ready to be read many times. */
export interface CompiledOperand {
  readonly read: Reader;
  readonly isAttribute: boolean;
  /** The constant, or the path and the value of the attribute. */
  readonly explain: (request: AccessRequest) => string;
}

export function compileOperand(operand: Operand | ListOperand): CompiledOperand {
  if (typeof operand !== 'object' || !('attr' in operand)) {
    return { read: () => operand, isAttribute: false, explain: () => show(operand) };
  }
  const { attr } = operand;
  const read = readerOf(attr);
  return { read, isAttribute: true, explain: (request) => `${attr} = ${show(read(request))}` };
}
