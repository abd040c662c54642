import type { Node } from '../condition/node.ts';
import { isScalar } from '../condition/value.ts';
import type { Scalar } from '../policy/policy.ts';
import { type Atom, atomOf } from './atom.ts';
import type { OrderedRule } from './rules.ts';
import { sourceOf, valueAt } from './value-source.ts';
import type { View } from './view.ts';

/** Finds the place of the first rule that fires, or the place after all. */
export type Search = (view: View) => number;

type Rules = readonly OrderedRule[];

/** Fewer rules than this are asked faster than they are looked up. */
const FEW = 8;

/**
 * Builds the search for the rule that decides. Many rules are split by the value that they want of an attribute, and
 * a hash table tells which of them a request can satisfy. Where the value is unknown, no allow rule among them fires,
 * and of the deny rules each that nothing else keeps silent.
 *
 * @param straight - makes the search that asks rules one after the other
 * @param tried - the keys that have been looked up before, and are known to be of no more help
 */
export function searchOf(
  rules: Rules,
  straight: (rules: Rules) => Search,
  none: number,
  tried: readonly string[] = [],
): Search {
  const key = keyOf(rules, tried);
  if (key === undefined) return straight(rules);
  const build = (some: Rules): Search =>
    some.length === 0 ? () => none : searchOf(some, straight, none, [...tried, key.key]);
  const { buckets, keyed, rest } = split(rules, key);
  const elsewhere = build(rest);
  const find = (part: Part, view: View): number => {
    part.search ??= build(part.rules);
    return part.search(view);
  };
  const unknown: Part = { rules: keyed.filter(({ rule }) => rule.effect === 'deny'), search: undefined };
  const parts = new Map<unknown, Part>();
  for (const [value, bucket] of buckets) parts.set(value, { rules: bucket, search: undefined });
  const source = sourceOf(key.attribute);
  if (!key.isList) {
    return (view) => {
      const value = valueAt(source, view);
      const part = parts.get(value) ?? (isScalar(value) ? undefined : unknown);
      return part === undefined ? elsewhere(view) : Math.min(find(part, view), elsewhere(view));
    };
  }
  return (view) => {
    const list = valueAt(source, view);
    let place = elsewhere(view);
    let isUnknown = !Array.isArray(list);
    if (Array.isArray(list)) {
      for (let i = 0; i < list.length; i++) {
        const part = parts.get(list[i]);
        if (part !== undefined) place = Math.min(place, find(part, view));
        else if (!isScalar(list[i])) isUnknown = true;
      }
    }
    return isUnknown ? Math.min(place, find(unknown, view)) : place;
  };
}

/** Most of a large policy is not needed for long: a part is made ready when a request comes to it first. */
interface Part {
  readonly rules: Rules;
  search: Search | undefined;
}

interface Split {
  /** For each value the rules that want it, without the question that the table has answered. */
  readonly buckets: ReadonlyMap<Scalar, Rules>;
  /** The rules that want some value. */
  readonly keyed: Rules;
  readonly rest: Rules;
}

function split(rules: Rules, key: Atom): Split {
  const buckets = new Map<Scalar, OrderedRule[]>();
  const keyed: OrderedRule[] = [];
  const rest: OrderedRule[] = [];
  for (const rule of rules) {
    const parts = partsOf(rule.node);
    const at = parts.findIndex((part) => atomOf(part)?.key === key.key);
    if (at === -1) {
      rest.push(rule);
      continue;
    }
    keyed.push(rule);
    const left: OrderedRule = { ...rule, node: { kind: 'and', nodes: parts.toSpliced(at, 1) } };
    for (const value of new Set(atomOf(parts[at] as Node)?.values)) {
      const bucket = buckets.get(value);
      if (bucket === undefined) buckets.set(value, [left]);
      else bucket.push(left);
    }
  }
  return { buckets, keyed, rest };
}

function partsOf(node: Node): readonly Node[] {
  return node.kind === 'and' ? node.nodes : [node];
}

/** The attribute after whose look-up the fewest rules are left to be asked, if it spares half of many. */
export function keyOf(rules: Rules, tried: readonly string[] = []): Atom | undefined {
  if (rules.length < FEW) return undefined;
  const keys = new Map<string, { readonly atom: Atom; readonly sizes: Map<Scalar, number>; rules: number }>();
  for (const { node } of rules) {
    const atoms = new Map(
      partsOf(node).flatMap((part) => {
        const atom = atomOf(part);
        return atom === undefined || tried.includes(atom.key) ? [] : [[atom.key, atom]];
      }),
    );
    for (const atom of atoms.values()) {
      const known = keys.get(atom.key) ?? { atom, sizes: new Map<Scalar, number>(), rules: 0 };
      keys.set(atom.key, known);
      known.rules++;
      for (const value of atom.values) known.sizes.set(value, (known.sizes.get(value) ?? 0) + 1);
    }
  }
  let best: Atom | undefined;
  let fewest = rules.length / 2;
  for (const { atom, sizes, rules: keyed } of keys.values()) {
    let largest = 0;
    for (const size of sizes.values()) largest = Math.max(largest, size);
    const left = rules.length - keyed + largest;
    if (left < fewest) {
      best = atom;
      fewest = left;
    }
  }
  return best;
}
