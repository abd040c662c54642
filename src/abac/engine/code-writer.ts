import { isField, namesIn, type Part } from '../condition/attribute.ts';
import type { Formula } from '../condition/formula.ts';
import { isConstantTerm, type Leaf, type Term } from '../condition/node.ts';
import { zonedHour } from '../condition/zoned-hour.ts';
import type { AttributeRef } from '../policy/policy.ts';
import { type Pair, settled, sidesOf } from './outcome.ts';
import type { Predicate } from './predicates.ts';
import { type Flip, flipOf } from './valid-until.ts';

/** Writes formulas as JavaScript, and knows what they read. */
export interface CodeWriter {
  readonly write: (formula: Formula) => string;
  /** Objects and functions that no literal can express, by the numbers under which the code asks for them. */
  readonly constants: readonly unknown[];
  readonly names: Readonly<Record<Part, ReadonlySet<string>>>;
}

/** More constants than this are looked up in a set. */
const FEW = 8;
/** The variables of the parts of a request; their attributes are in those with the small letters. */
const PARTS: Readonly<Record<Part, string>> = { subject: 'S', resource: 'R', environment: 'E' };

/**
 * Makes a writer. Every constant and every name from the policy is written by `JSON.stringify`, which is a literal of
 * JavaScript and no more (ECMA-262 since 2019); whatever is no such literal is written as its number in `constants`.
 */
export function codeWriter(predicates: ReadonlyMap<string, Predicate>): CodeWriter {
  const constants: unknown[] = [];
  const names = { subject: new Set<string>(), resource: new Set<string>(), environment: new Set<string>() };
  const constant = (value: unknown): string => `C[${constants.push(value) - 1}]`;

  const attribute = ({ attr, timeZone }: AttributeRef): string => {
    if (timeZone !== undefined) return `${constant(zonedHour(timeZone))}(E.time)`;
    if (attr === 'action') return 'Q.action';
    const { part, name } = namesIn(attr);
    const variable = PARTS[part];
    if (isField(attr)) return `${variable}[${JSON.stringify(name)}]`;
    names[part].add(name);
    return `${variable.toLowerCase()}[${JSON.stringify(name)}]`;
  };
  const term = (side: Term): string => (isConstantTerm(side) ? JSON.stringify(side.value) : attribute(side));

  const untimed = (leaf: Leaf, outcome: boolean): string => {
    switch (leaf.kind) {
      case 'predicate':
        return `${constant(predicates.get(leaf.name))}(Q)===${outcome}`;
      case 'present':
        return `(v=${attribute(leaf.attribute)},K(v)||Array.isArray(v))===${outcome}`;
      default:
        return frequent(leaf, outcome) ?? asked(leaf, outcome);
    }
  };

  const asked = (leaf: Pair, outcome: boolean): string => {
    const [left, right] = sidesOf(leaf);
    const settle = constant((a: unknown, b: unknown) => settled(leaf, a, b));
    return `${settle}(${term(left)},${term(right)})===${outcome}`;
  };

  const frequent = (leaf: Pair, outcome: boolean): string | undefined => {
    const { kind, emptyIsUnknown } = leaf;
    if (kind === 'member') {
      const { item, list } = leaf;
      if (!('values' in list))
        return outcome && isConstantTerm(item) ? `H(${attribute(list)},${term(item)})` : undefined;
      if (isConstantTerm(item) || emptyIsUnknown || list.values.length > FEW) return undefined;
      const isOne = list.values.map((value) => `v===${JSON.stringify(value)}`).join('||') || 'false';
      return `(v=${attribute(item)},${outcome ? isOne : `K(v)&&!(${isOne})`})`;
    }
    const [left, right] = isConstantTerm(leaf.left) ? [leaf.right, leaf.left] : [leaf.left, leaf.right];
    if (isConstantTerm(left)) return undefined;
    if (kind === 'equal' && !isConstantTerm(right)) {
      // Of two equal values, both are known where one is.
      return outcome ? `(v=${term(left)})===${term(right)}${emptyIsUnknown ? '&&v!==""' : ''}&&K(v)` : undefined;
    }
    if (!isConstantTerm(right) || emptyIsUnknown) return undefined;
    const value = JSON.stringify(right.value);
    if (kind === 'equal') {
      return outcome ? `${term(left)}===${value}` : `(v=${term(left)})!==${value}&&K(v)`;
    }
    if (kind !== 'less' || typeof right.value !== 'number') return undefined;
    const isLess = left === leaf.left ? `v<${value}` : `${value}<v`;
    return `N(v=${term(left)})&&${outcome ? isLess : `!(${isLess})`}`;
  };

  /** What has just lowered `u` need not do so again: the two ends of office hours. */
  const write = (formula: Formula, lowered: Set<Flip> = new Set()): string => {
    if (formula.kind === 'leaf') {
      const { leaf, outcome } = formula;
      const flip = flipOf(leaf);
      const until = flip === undefined || lowered.has(flip) ? '' : `u=F(${constant(flip)},Q,E.time,u),`;
      if (flip !== undefined) lowered.add(flip);
      return `(${until}${untimed(leaf, outcome)})`;
    }
    const isAll = formula.kind === 'all';
    if (formula.formulas.length === 0) return String(isAll);
    const before = new Set(lowered);
    const parts = formula.formulas.map((part) => write(part, before));
    return `(${parts.join(isAll ? '&&' : '||')})`;
  };

  return { write, constants, names };
}
