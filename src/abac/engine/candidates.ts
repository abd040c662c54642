import { isScalar } from '../condition/value.ts';
import type { Scalar } from '../policy/policy.ts';
import type { Atom } from './atom.ts';
import type { CompiledRule } from './compiled-rule.ts';
import { type Facts, factReader } from './facts.ts';

/** Finds the rules that can matter to a request, in the order of decision. */
export type Candidates<T> = (facts: Facts) => T;

type Rules = readonly CompiledRule[];

export interface Branches<T> {
  /** Makes the rules at the end of a branch ready; `forOne` when they were put together for one request. */
  readonly finish: (rules: Rules, forOne: boolean) => T;
  /** Whether an allow rule that can be no more than unknown is of interest too. */
  readonly everyOutcome: boolean;
}

/** Fewer rules than this are asked faster than they are looked up. */
const FEW = 8;
const MAX_DEPTH = 4;
/** How many times over a rule may stand in the branches of one table. */
const MAX_COPIES = 4;

/**
 * Builds the index of a policy: a tree of hash tables over the values that rules want, each over the attribute
 * that splits the rules best. A rule that is left out of a branch is known to be false there; where the attribute
 * is unknown, every rule that could fire is asked. A policy of 10,000 rules is decided about as fast as one of ten.
 */
export function indexRules<T>(rules: Rules, branches: Branches<T>, depth: number = MAX_DEPTH): Candidates<T> {
  const key = rules.length < FEW || depth === 0 ? undefined : bestKey(rules);
  if (key === undefined) {
    return once(() => branches.finish(rules, false));
  }
  const { others, byValue } = split(rules, key);
  const children = new Map<unknown, Candidates<T>>();
  for (const [value, some] of byValue) {
    children.set(value, indexRules(inOrder(some, others), branches, depth - 1));
  }
  const none = indexRules(others, branches, depth - 1);
  // A list with an unknown element may still have what a rule wants; an unknown value is nothing that one wants.
  const all = key.isList || branches.everyOutcome;
  const undecided = all ? rules : rules.filter((one) => one.rule.effect === 'deny' || !has(one, key));
  const unknown = once(() => branches.finish(undecided, false));
  const read = factReader(key.attribute);
  if (!key.isList) {
    return (facts) => {
      const value = read(facts);
      const child = children.get(value) ?? (isScalar(value) ? none : undefined);
      return child === undefined ? unknown() : child(facts);
    };
  }
  return (facts) => {
    const found = valuesIn(read(facts), children);
    if (found === undefined) return unknown();
    const [only] = found;
    if (found.length > 1) return branches.finish(together(found, byValue, others), true);
    return ((only === undefined ? undefined : children.get(only)) ?? none)(facts);
  };
}

/** A branch is made ready when a request comes to it first: most of a large policy is not needed for long. */
function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** The elements of a list that rules want, each once; `undefined` where an element or the list is unknown. */
function valuesIn(list: unknown, wanted: ReadonlyMap<unknown, unknown>): readonly Scalar[] | undefined {
  if (!Array.isArray(list)) return undefined;
  const found: Scalar[] = [];
  for (let i = 0; i < list.length; i++) {
    const element: unknown = list[i];
    if (!isScalar(element)) return undefined;
    if (wanted.has(element) && !found.includes(element)) found.push(element);
  }
  return found;
}

/** A subject with several roles: what they select together. */
function together(found: readonly Scalar[], byValue: ReadonlyMap<Scalar, Rules>, others: Rules): Rules {
  return inOrder([...new Set(found.flatMap((value) => byValue.get(value) ?? []))], others);
}

interface Split {
  readonly others: Rules;
  readonly byValue: ReadonlyMap<Scalar, Rules>;
}

function split(rules: Rules, { key }: Atom): Split {
  const others: CompiledRule[] = [];
  const byValue = new Map<Scalar, CompiledRule[]>();
  for (const rule of rules) {
    const atom = rule.atoms.find((one) => one.key === key);
    if (atom === undefined) others.push(rule);
    for (const value of new Set(atom?.values)) {
      const some = byValue.get(value);
      if (some === undefined) byValue.set(value, [rule]);
      else some.push(rule);
    }
  }
  return { others, byValue };
}

function has({ atoms }: CompiledRule, { key }: Atom): boolean {
  return atoms.some((one) => one.key === key);
}

/** The attribute after whose look-up the fewest rules are left, where that is worth its memory. */
function bestKey(rules: Rules): Atom | undefined {
  const keys = new Map(rules.flatMap(({ atoms }) => atoms.map((atom) => [atom.key, atom])));
  let best: Atom | undefined;
  let fewest = rules.length / 2;
  for (const key of keys.values()) {
    const { others, byValue } = split(rules, key);
    const sizes = Array.from(byValue.values(), (some) => some.length);
    const largest = others.length + sizes.reduce((most, size) => Math.max(most, size), 0);
    const copies = sizes.reduce((sum, size) => sum + size + others.length, 0);
    if (largest < fewest && copies <= rules.length * MAX_COPIES) {
      best = key;
      fewest = largest;
    }
  }
  return best;
}

function inOrder(some: Rules, others: Rules): Rules {
  return [...some, ...others].sort((a, b) => a.order - b.order);
}
