import { isScalar } from '../condition/value.ts';
import type { ListOperand, Operand, Scalar } from '../policy/policy.ts';
import { type Compiled, leaf, type Outcome } from './compiled.ts';
import { compileOperand } from './operand.ts';

/** The item is an element of the list. */
export function isElement([item, list]: readonly [Operand, ListOperand]): Compiled {
  return leaf(compileOperand(item), 'one of ', compileOperand(list), membership(item, list));
}

/** The same question, asked of the list. */
export function hasElement([list, item]: readonly [ListOperand, Operand]): Compiled {
  return leaf(compileOperand(list), 'to have ', compileOperand(item), membership(item, list));
}

function membership(item: Operand, list: ListOperand): Compiled['test'] {
  const { read: readItem } = compileOperand(item);
  if (!('attr' in list)) {
    const constants: ReadonlySet<unknown> = new Set(list);
    return (request) => {
      const value = readItem(request);
      return isScalar(value) ? constants.has(value) : undefined;
    };
  }
  const { read: readList } = compileOperand(list);
  if (typeof item !== 'object') return (request) => search(readList(request), item, false);
  return (request) => {
    const value = readItem(request);
    return isScalar(value) && value !== '' ? search(readList(request), value, true) : undefined;
  };
}

/**
 * Membership is equality with any element, so it knows as much as the elements: one that cannot be
 * compared leaves a "no" unknown.
 */
function search(elements: unknown, value: Scalar, emptyIsUnknown: boolean): Outcome {
  if (!Array.isArray(elements)) return undefined;
  let outcome: Outcome = false;
  for (const element of elements) {
    if (element === value) return true;
    if (!isScalar(element) || (emptyIsUnknown && element === '')) outcome = undefined;
  }
  return outcome;
}
