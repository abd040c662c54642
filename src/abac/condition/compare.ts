import type { Leaf } from './node.ts';
import { isTextLess } from './text-order.ts';
import { isScalar } from './value.ts';

/** True, false, or unknown (Kleene's three-valued logic). */
export type Outcome = boolean | undefined;

export type Comparison = Extract<Leaf, { readonly left: unknown }>['kind'];

/** A value that says nothing: no scalar, or an empty text where two attributes meet. */
export function isUnknown(value: unknown, emptyIsUnknown: boolean): boolean {
  return !isScalar(value) || (emptyIsUnknown && value === '');
}

/** What a comparison makes of two values. */
export function compareValues(kind: Comparison, left: unknown, right: unknown, emptyIsUnknown: boolean): Outcome {
  if (isUnknown(left, emptyIsUnknown) || isUnknown(right, emptyIsUnknown)) return undefined;
  if (kind === 'equal') return left === right;
  if (typeof left === 'number' && typeof right === 'number') return kind === 'less' ? left < right : undefined;
  if (typeof left !== 'string' || typeof right !== 'string') return undefined;
  if (kind === 'less') return isTextLess(left, right);
  return kind === 'startsWith' ? left.startsWith(right) : left.endsWith(right);
}

/** Whether a list holds an item. An element that says nothing makes a "no" unknown. */
export function findValue(item: unknown, list: unknown, emptyIsUnknown: boolean): Outcome {
  if (isUnknown(item, emptyIsUnknown) || !Array.isArray(list)) return undefined;
  let outcome: Outcome = false;
  for (const element of list) {
    if (element === item) return true;
    if (isUnknown(element, emptyIsUnknown)) outcome = undefined;
  }
  return outcome;
}

export function isPresent(value: unknown): boolean {
  return isScalar(value) || Array.isArray(value);
}
