import { isTextLess } from '../condition/text-order.ts';
import type { Scalar } from '../policy/policy.ts';
import type { Atom, Key, ListSide, Side } from './atom.ts';

/** What an attribute is in a request, as far as conditions can tell. */
export type Value =
  /** Missing, or something that cannot be compared: `raw`. */
  | { readonly is: 'nothing'; readonly raw?: unknown }
  | { readonly is: 'scalar'; readonly value: Scalar }
  | { readonly is: 'list'; readonly unknown: boolean; readonly empty: boolean };

/** One thing settled about the request. */
export type Choice =
  | { readonly kind: 'attribute'; readonly key: Key; readonly value: Value }
  | { readonly kind: 'element'; readonly key: Key; readonly element: Scalar; readonly holds: boolean }
  | { readonly kind: 'free'; readonly origin: string; readonly outcome: boolean };

/** An atom whose outcome is settled; `undefined` is unknown. */
export interface Settled {
  readonly outcome: boolean | undefined;
}

const UNKNOWN: Settled = { outcome: undefined };

/**
 * What is left of an atom after a choice: an outcome, or an atom that reads less. With `relaxed`, how one attribute
 * begins or ends another is left open wherever order and equality do not settle it.
 */
export function settle(atom: Atom, choice: Choice, relaxed: boolean): Atom | Settled {
  if (choice.kind === 'attribute') return settleAttribute(atom, choice.key, choice.value, relaxed);
  if (choice.kind === 'free') {
    return atom.kind === 'free' && atom.origin === choice.origin ? { outcome: choice.outcome } : atom;
  }
  if (atom.kind !== 'member' || !('elementsOf' in atom.list) || atom.list.elementsOf !== choice.key) return atom;
  if (!('value' in atom.item) || atom.item.value !== choice.element) return atom;
  return choice.holds ? { outcome: true } : absence(atom.list, atom.emptyIsUnknown);
}

function settleAttribute(atom: Atom, key: Key, value: Value, relaxed: boolean): Atom | Settled {
  if (atom.kind === 'free') return atom;
  if (atom.kind === 'present') return atom.key === key ? { outcome: value.is !== 'nothing' } : atom;
  if (atom.kind === 'member') {
    const [item, list] = [replaced(atom.item, key, value), replacedList(atom.list, key, value)];
    return item === undefined || list === undefined ? UNKNOWN : membership({ ...atom, item, list });
  }
  const [left, right] = [replaced(atom.left, key, value), replaced(atom.right, key, value)];
  if (left === undefined || right === undefined) return UNKNOWN;
  if (atom.emptyIsUnknown && [left, right].some((side) => 'value' in side && side.value === '')) return UNKNOWN;
  if (!('value' in left) || !('value' in right)) return { ...atom, left, right };
  const outcome = compare(atom.kind, left.value, right.value);
  const isOpen = relaxed && atom.emptyIsUnknown && couldBeAffix(atom.kind, left.value, right.value);
  return isOpen ? { kind: 'free', origin: atom.origin } : { outcome };
}

function replaced(side: Side, key: Key, value: Value): Side | undefined {
  if (!('key' in side) || side.key !== key) return side;
  return value.is === 'scalar' ? { value: value.value } : undefined;
}

function replacedList(list: ListSide, key: Key, value: Value): ListSide | undefined {
  if (!('key' in list) || list.key !== key) return list;
  return value.is === 'list' ? { elementsOf: key, unknown: value.unknown, empty: value.empty } : undefined;
}

function membership(atom: Extract<Atom, { kind: 'member' }>): Atom | Settled {
  const { item, list, emptyIsUnknown } = atom;
  if (!('value' in item)) return atom;
  if (emptyIsUnknown && item.value === '') return UNKNOWN;
  if ('values' in list) return { outcome: list.values.includes(item.value) };
  if (!('elementsOf' in list) || item.value !== '') return atom;
  return list.empty ? { outcome: true } : absence(list, emptyIsUnknown);
}

/** An element that cannot be compared could be the one that is looked for. */
function absence(list: Extract<ListSide, { elementsOf: Key }>, emptyIsUnknown: boolean): Settled {
  return list.unknown || (emptyIsUnknown && list.empty) ? UNKNOWN : { outcome: false };
}

function compare(kind: 'equal' | 'less' | 'startsWith' | 'endsWith', left: Scalar, right: Scalar): boolean | undefined {
  if (kind === 'equal') return left === right;
  if (typeof left === 'string' && typeof right === 'string') {
    if (kind === 'less') return isTextLess(left, right);
    return kind === 'startsWith' ? left.startsWith(right) : left.endsWith(right);
  }
  return kind === 'less' && typeof left === 'number' && typeof right === 'number' ? left < right : undefined;
}

/** A text begins and ends with itself, and never begins with what comes after it. */
function couldBeAffix(kind: string, left: Scalar, right: Scalar): boolean {
  if (typeof left !== 'string' || typeof right !== 'string' || left === right) return false;
  return (kind === 'startsWith' && !isTextLess(left, right)) || kind === 'endsWith';
}
