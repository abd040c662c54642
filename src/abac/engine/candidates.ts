import type { Node } from '../condition/node.ts';
import { isScalar } from '../condition/value.ts';
import type { Scalar } from '../policy/policy.ts';
import { type Atom, atomOf } from './atom.ts';
import type { OrderedRule } from './rules.ts';
import { type Step, walk } from './step.ts';
import { sourceOf, valueAt } from './value-source.ts';
import type { View } from './view.ts';

/** Finds the place of the first rule that fires, or the place after all. */
export type Search = (view: View) => number;

type Rules = readonly OrderedRule[];

/** Fewer rules than this are asked faster than they are looked up, and fewer elements compared faster than sorted out. */
const FEW = 8;
/** How many copies of a rule tables in tables may hold: who chooses the values of requests chooses what is made. */
const MOST_COPIES = 64;

/**
 * Builds the search for the rule that decides. Many rules are split by the value that they want of an attribute, and
 * a hash table tells which of them a request can satisfy. Where the value is unknown, no allow rule among them fires,
 * and of the deny rules each that nothing else keeps silent.
 *
 * @param straight - makes the first step of asking rules one after the other
 * @param tried - the keys that have been looked up before, and are known to be of no more help
 * @param room - how many copies of a rule further tables may hold; those of one table stand in the policy already
 */
export function searchOf(
  rules: Rules,
  straight: (rules: Rules) => Step,
  none: number,
  tried: readonly string[] = [],
  room: number = Number.POSITIVE_INFINITY,
): Search {
  const key = keyOf(rules, tried, room);
  if (key === undefined) {
    const start = straight(rules);
    return (view) => walk(start, view);
  }
  const { atom, copies } = key;
  const { buckets, denials, rest } = split(rules, atom);
  const build = (some: Rules, left: number): Search =>
    some.length === 0 ? () => none : searchOf(some, straight, none, [...tried, atom.key], left);
  const elsewhere = build(rest, room);
  const find = (part: Part, view: View): number => {
    if (part.start !== undefined) return walk(part.start, view);
    const left = Math.min(room, MOST_COPIES) / copies;
    if (part.search === undefined && keyOf(part.rules, [...tried, atom.key], left) === undefined) {
      part.start = straight(part.rules);
      return walk(part.start, view);
    }
    part.search ??= build(part.rules, left);
    return part.search(view);
  };
  const unknown: Part = { rules: denials, start: undefined, search: undefined };
  const parts = new Map<unknown, Part>();
  for (const [value, bucket] of buckets) parts.set(value, { rules: bucket, start: undefined, search: undefined });
  const source = sourceOf(atom.attribute);
  if (!atom.isList) {
    return (view) => {
      const value = valueAt(source, view);
      const part = parts.get(value) ?? (isScalar(value) ? undefined : unknown);
      return part === undefined ? elsewhere(view) : Math.min(find(part, view), elsewhere(view));
    };
  }
  return (view) => {
    const list = valueAt(source, view);
    let place = elsewhere(view);
    if (!Array.isArray(list)) return Math.min(place, find(unknown, view));
    let isUnknown = false;
    const values = distinct(list);
    for (let i = 0; i < values.length; i++) {
      const part = parts.get(values[i]);
      if (part !== undefined) place = Math.min(place, find(part, view));
      else if (!isScalar(values[i])) isUnknown = true;
    }
    return isUnknown ? Math.min(place, find(unknown, view)) : place;
  };
}

/** Of a list that says the same over and over, inside another such list, every pair would be looked up. */
function distinct(list: readonly unknown[]): readonly unknown[] {
  return list.length < FEW ? list : [...new Set(list)];
}

/**
 * Most of a large policy is not needed for long: a part is made ready when a request comes to it first. Few rules
 * are a step to start from, many another search: with a search for all, each look-up would go through one more
 * function that nobody has in the cache.
 */
interface Part {
  readonly rules: Rules;
  start: Step | undefined;
  search: Search | undefined;
}

interface Split {
  /** For each value the rules that want it, without the question that the table has answered. */
  readonly buckets: ReadonlyMap<Scalar, Rules>;
  /** The deny rules among those, which an unknown value does not keep silent. */
  readonly denials: Rules;
  /** The rules that want no value in particular. */
  readonly rest: Rules;
}

function split(rules: Rules, { key }: Atom): Split {
  const buckets = new Map<Scalar, OrderedRule[]>();
  const denials: OrderedRule[] = [];
  const rest: OrderedRule[] = [];
  for (const rule of rules) {
    const parts = partsOf(rule.node);
    const at = parts.findIndex((part) => atomOf(part)?.key === key);
    if (at === -1) {
      rest.push(rule);
      continue;
    }
    if (rule.rule.effect === 'deny') denials.push(rule);
    const left: OrderedRule = { ...rule, node: { kind: 'and', nodes: parts.toSpliced(at, 1) } };
    for (const value of new Set(atomOf(parts[at] as Node)?.values)) {
      const bucket = buckets.get(value);
      if (bucket === undefined) buckets.set(value, [left]);
      else bucket.push(left);
    }
  }
  return { buckets, denials, rest };
}

function partsOf(node: Node): readonly Node[] {
  return node.kind === 'and' ? node.nodes : [node];
}

/** An attribute to look rules up by. */
export interface Key {
  readonly atom: Atom;
  /** How often a rule that wants a value of it stands in its table, on average. */
  readonly copies: number;
}

/** What a table over an attribute would hold. */
interface Sizes {
  readonly atom: Atom;
  readonly ofValues: Map<Scalar, number>;
  rules: number;
  entries: number;
}

/** The attribute after whose look-up the fewest rules are left to be asked, if it spares half of many. */
export function keyOf(
  rules: Rules,
  tried: readonly string[] = [],
  room: number = Number.POSITIVE_INFINITY,
): Key | undefined {
  if (rules.length < FEW) return undefined;
  let best: Key | undefined;
  let fewest = rules.length / 2;
  for (const sizes of sizesOf(rules, tried)) {
    let largest = 0;
    for (const size of sizes.ofValues.values()) largest = Math.max(largest, size);
    const left = rules.length - sizes.rules + largest;
    const copies = sizes.entries / sizes.rules;
    if (left < fewest && (copies === 1 || copies <= room)) {
      best = { atom: sizes.atom, copies };
      fewest = left;
    }
  }
  return best;
}

function sizesOf(rules: Rules, tried: readonly string[]): Iterable<Sizes> {
  const keys = new Map<string, Sizes>();
  for (const { node, rule } of rules) {
    const atoms = new Map<string, Atom>();
    for (const part of partsOf(node)) {
      const atom = atomOf(part);
      if (atom !== undefined && !tried.includes(atom.key) && !atoms.has(atom.key)) atoms.set(atom.key, atom);
    }
    for (const atom of atoms.values()) {
      const sizes = keys.get(atom.key) ?? { atom, ofValues: new Map<Scalar, number>(), rules: 0, entries: 0 };
      keys.set(atom.key, sizes);
      sizes.rules++;
      sizes.entries += atom.values.length + (rule.effect === 'deny' ? 1 : 0);
      for (const value of atom.values) sizes.ofValues.set(value, (sizes.ofValues.get(value) ?? 0) + 1);
    }
  }
  return keys.values();
}
